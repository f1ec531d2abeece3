// The direction of answers: full stop and badge of a right-to-left sentence stand behind it, which is on its left.

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const LETTER = /\p{L}/gu;

/** The text of a message in Web Chat, with the list of its references. */
const TEXTS = '.webchat__text-content';

/** The direction of a text by most of its letters: one that begins with a foreign name runs as the rest does. */
export function directionOf(text) {
  const beginning = text.slice(0, 10_000);
  const right = beginning.match(RIGHT_TO_LEFT)?.length ?? 0;
  return right * 2 > (beginning.match(LETTER)?.length ?? 0) ? 'rtl' : 'ltr';
}

/** Sets the direction of each message below an element, now and when messages come or grow. */
export function watchDirections(root) {
  const direct = () => {
    for (const text of root.querySelectorAll(TEXTS)) {
      const direction = directionOf(text.textContent);
      if (text.dir !== direction) text.dir = direction;
    }
  };
  direct();
  new MutationObserver(direct).observe(root, { childList: true, characterData: true, subtree: true });
}
