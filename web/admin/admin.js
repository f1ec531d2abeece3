// The settings page: asks for the key, and shows the part that the address names.

import { Refusal, forgetKey, hasKey, keepKey, read, useKey } from './api.js';
import { showAssistant } from './assistant.js';
import { showAssistants } from './assistants.js';
import { showConversation, showConversations } from './conversations.js';
import { showFeedback } from './feedback.js';
import { ask, byId, element, make, problemBox, showProblem } from './screen.js';

/** The parts of the page, each with its list and, where it has one, one entry of it. */
const PARTS = {
  assistants: [showAssistants, showAssistant],
  conversations: [showConversations, showConversation],
  feedback: [showFeedback],
};

/** The part that is shown: its address, `leave`, which ends what goes on there, and `isChanged`. */
let shown;

/** What an address names: the part, and the entry. */
function named(hash) {
  try {
    const [part, entry] = hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
    return Object.hasOwn(PARTS, part) ? [part, entry] : ['assistants'];
  } catch {
    return ['assistants'];
  }
}

async function open() {
  const hash = location.hash;
  if (!hasKey()) {
    signIn();
    return;
  }
  if (shown?.isChanged?.()) {
    history.replaceState(null, '', shown.hash);
    const leave = await ask({
      title: 'Leave without saving?',
      content: [make('p', '', 'Your changes are not saved.')],
      action: 'Leave',
      danger: true,
    });
    if (!leave) return;
    history.pushState(null, '', hash);
  }
  shown?.leave?.();
  const current = { hash };
  shown = current;
  const [part, entry] = named(hash);
  for (const link of byId('nav').children) {
    if (link.hash === `#/${part}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const [list, one] = PARTS[part];
  let view;
  try {
    view = await (entry && one ? one(entry, open) : list(open));
  } catch (error) {
    view = failed(error);
  }
  if (shown !== current) {
    view.leave?.();
    return;
  }
  Object.assign(current, view);
  byId('view').replaceChildren(...view.parts);
  const heading = byId('view').querySelector('h2');
  document.title = `${heading.textContent} – citewire`;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** What is shown instead of a part that cannot be read. */
function failed(error) {
  const box = problemBox();
  const words = {
    401: new Refusal('The key is not valid any more', 'Forget the key, and enter another one.'),
    403: new Refusal('This key may not do that', error.detail),
  };
  showProblem(box, words[error.status] ?? error);
  return { parts: [make('section', 'card', make('h2', '', 'This cannot be shown'), box, element('a', { href: '#/assistants' }, 'All assistants'))] };
}

function signIn() {
  byId('sign-in').hidden = false;
  byId('key').focus();
}

function refuseKey(words) {
  byId('key-problem').textContent = words;
  byId('key').setAttribute('aria-invalid', 'true');
  byId('key').focus();
}

/** Why a key was not accepted. */
function wordsFor(error) {
  if (error.status === 401) return 'The server does not know this key.';
  if (error.status === 403) return 'This key lacks the scope admin, which this page needs.';
  return error.message;
}

byId('key-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const given = byId('key').value.trim();
  byId('key-problem').textContent = '';
  if (given === '') {
    refuseKey('Enter a key.');
    return;
  }
  // Nothing else fits into a header, and no key has it.
  if (!/^[\x21-\x7e]+$/.test(given)) {
    refuseKey('The server does not know this key.');
    return;
  }
  useKey(given);
  try {
    await read('/v1/assistants');
  } catch (error) {
    forgetKey();
    refuseKey(wordsFor(error));
    return;
  }
  keepKey();
  begin();
});

function begin() {
  byId('key').value = '';
  byId('sign-in').hidden = true;
  byId('nav').hidden = false;
  byId('forget').hidden = false;
  open();
}

byId('forget').addEventListener('click', () => {
  forgetKey();
  location.reload();
});
addEventListener('hashchange', () => {
  // Other fragments lead to places on the page.
  if (location.hash === '' || location.hash.startsWith('#/')) open();
});
addEventListener('beforeunload', (event) => {
  if (hasKey() && shown?.isChanged?.()) event.preventDefault();
});

if (hasKey()) begin();
else signIn();
