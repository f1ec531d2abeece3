// Shared parts of the page and the settings page: elements, and Web Chat in their colours.

/** Lets scripts and styles that a page adds run there. */
export const nonce = document.querySelector('script[nonce]').nonce;

/** Direct Line's connection states, by number, and what they mean to a reader. */
export const CONNECTION = [
  ['waiting', 'Not connected yet'],
  ['waiting', 'Connecting'],
  ['online', 'Connected'],
  ['lost', 'The session has expired: start a new conversation'],
  ['lost', 'Cannot connect'],
  ['lost', 'The conversation has ended'],
];

/** Web Chat's script while it is being loaded and after. */
let webChat;

/** An element with its class and children. */
export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** Loads Web Chat's script once; a server that has none answers 404. */
export function loadWebChat() {
  webChat ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = '/page/webchat.js';
    script.nonce = nonce;
    script.onload = () => resolve(window.WebChat);
    script.onerror = () => {
      webChat = undefined;
      script.remove();
      reject(new Error('no Web Chat'));
    };
    document.head.append(script);
  });
  return webChat;
}

/** Puts a text on the clipboard, or selects it where the page may not; says so on the button. */
export async function copy(button, text, shown) {
  const before = button.dataset.words ?? button.textContent;
  button.dataset.words = before;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    if (shown) getSelection().selectAllChildren(shown);
    button.textContent = shown ? 'Selected' : 'Not copied';
  }
  setTimeout(() => (button.textContent = before), 2000);
}

/** Whether an answer is being written, by the activities of the conversation; `undefined` for those that do not say. */
export function isWriting({ type, from, channelData }) {
  if (from?.role !== 'bot') return undefined;
  if (channelData?.streamType === 'informative' || channelData?.streamType === 'streaming') return true;
  return type === 'message' ? false : undefined;
}

/** Web Chat's style options from the colours of page.css, which follow the reader's scheme. */
export function chatStyle() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    accent: of('accent'),
    backgroundColor: of('surface'),
    primaryFont: of('text'),
    monospaceFont: of('mono'),
    subtle: of('ink-quiet'),
    bubbleBackground: of('sunken'),
    bubbleBorderColor: of('line'),
    bubbleBorderRadius: 8,
    bubbleTextColor: of('ink'),
    bubbleMaxWidth: 620,
    bubbleMinHeight: 36,
    bubbleFromUserBackground: of('accent'),
    bubbleFromUserBorderColor: of('accent'),
    bubbleFromUserBorderRadius: 8,
    bubbleFromUserTextColor: of('accent-ink'),
    citationTextColor: of('ink'),
    sendBoxBackground: of('surface'),
    sendBoxBorderTop: `solid 1px ${of('line')}`,
    sendBoxButtonColor: of('accent'),
    sendBoxButtonColorOnFocus: of('accent'),
    sendBoxButtonColorOnHover: of('ink'),
    sendBoxPlaceholderColor: of('ink-quiet'),
    sendBoxTextColor: of('ink'),
    timestampColor: of('ink-quiet'),
    transcriptVisualKeyboardIndicatorColor: of('accent'),
  };
}
