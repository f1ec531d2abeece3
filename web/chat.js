// The conversation: real Web Chat on this server's own Direct Line, and the requests that belong to it.

import { noteActivity } from './activities.js';
import { watchDirections } from './direction.js';
import { CONNECTION, chatStyle, isWriting, loadWebChat, make, nonce } from './parts.js';

const NOTHING_ANSWERS =
  'Nothing behind this page answers questions yet. Choose an answer from the list to see it arrive with its citations.';

const byId = (id) => document.getElementById(id);

/** The running conversation: token, refreshAt, userId, whether somebody answers, takes files, and takes answers, and Web Chat's client and store. */
let session;

/** An error whose message is meant for the reader. */
export class Refusal extends Error {
  constructor(title, detail, code, pointer) {
    super(detail ? `${title}: ${detail}` : title);
    Object.assign(this, { title, detail, code, pointer });
  }
}

/** A request to this server; gives the JSON of a good answer and throws a Refusal for everything else. */
export async function ask(path, { token, body, method = 'GET' } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json, application/problem+json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
  } catch {
    throw new Refusal('The server cannot be reached', 'Is citewire still running? Nothing was sent.');
  }
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  if (response.ok) throw new Refusal('The server sent something that is no JSON', `${method} ${path}`);
  if (response.status === 401 || response.status === 403) {
    if (answer?.code === 'assistant_not_offered') {
      throw new Refusal('This link leads to no assistant', 'It may have been deleted, or is not shared any more.', answer.code);
    }
    throw new Refusal(
      'The session is not valid any more',
      'Start a new conversation and send again.',
      answer?.code ?? answer?.error?.code,
    );
  }
  const title = answer?.title ?? `The server answered ${response.status}`;
  throw new Refusal(title, answer?.detail ?? answer?.error?.message, answer?.code ?? answer?.error?.code, answer?.pointer);
}

function showConnection(state, words) {
  byId('connection').dataset.state = state;
  byId('connection-text').textContent = words;
}

/** Opens a fresh conversation and puts it on the page in place of the one before; tells `showFailure` what went wrong. */
export async function converse(showFailure) {
  leave();
  showConnection('waiting', 'Connecting');
  try {
    // A link to an assistant names it: /?assistant=handbook.
    const assistant = new URLSearchParams(location.search).get('assistant');
    const opened = await ask('/page/session', { method: 'POST', body: assistant ? { assistant } : undefined });
    // Another one may have been opened in the meantime; the last one stays.
    leave();
    session = { ...opened, ...lifetime(opened.expires_in) };
    if (opened.title) {
      document.title = opened.title;
      byId('tagline').textContent = opened.title;
    }
  } catch (error) {
    showConnection('lost', 'Cannot connect');
    showFailure(error);
    return;
  }
  const current = session;
  let WebChat;
  try {
    WebChat = await loadWebChat();
  } catch {
    showConnection('lost', 'Web Chat is missing');
    byId('chat-notice').replaceChildren(
      'Web Chat is not here: start the service with ',
      make('code', '', 'cargo xtask run'),
      ', or name the file webchat.js in ',
      make('code', '', 'CITEWIRE_WEBCHAT_JS'),
      '.',
    );
    return;
  }
  if (session !== current) return;
  const isMute = !current.answered && !current.takesAnswers;
  byId('chat-notice').replaceChildren(...(isMute ? ['Nothing behind this page answers questions yet.'] : []));
  const bundle = document.querySelector('meta[name="botframework-webchat:bundle:version"]')?.content;
  if (bundle) byId('web-chat-version').textContent = `Web Chat ${bundle}`;

  current.directLine = WebChat.createDirectLine({ domain: `${location.origin}/v3/directline`, token: current.token });
  current.subscription = current.directLine.connectionStatus$.subscribe((status) => {
    showConnection(...(CONNECTION[status] ?? CONNECTION[0]));
  });
  current.store = WebChat.createStore({}, () => (next) => (action) => {
    const result = next(action);
    if (action.type === 'DIRECT_LINE/POST_ACTIVITY') noteActivity('sent', action.payload.activity);
    if (action.type === 'DIRECT_LINE/INCOMING_ACTIVITY') {
      noteActivity('received', action.payload.activity);
      offerStop(isWriting(action.payload.activity));
    }
    // Only now has the server taken the message, so what we add comes after it.
    if (!current.answered && current.takesAnswers && action.type === 'DIRECT_LINE/POST_ACTIVITY_FULFILLED' && action.payload.activity.type === 'message') {
      deliver({ answer: { text: NOTHING_ANSWERS } }).catch(showFailure);
    }
    return result;
  });
  const host = make('div', 'chat-host');
  host.id = 'chat-host';
  byId('chat-host').replaceWith(host);
  watchDirections(host);
  draw();
}

/** Shows the button by which an answer is stopped while one is written. */
function offerStop(isOffered) {
  const button = byId('stop');
  if (isOffered === undefined || button.hidden === !isOffered) return;
  const isFocused = document.activeElement === button;
  button.hidden = !isOffered;
  // The focus of a button that goes would go to the top of the page.
  if (isFocused) document.querySelector('#chat-host textarea, #chat-host input[type="text"]')?.focus();
}

/** Ends the answer that is being written. */
function stop() {
  const { directLine, userId } = session ?? {};
  offerStop(false);
  const wish = { type: 'event', name: 'stop', from: { id: userId, role: 'user' } };
  noteActivity('sent', wish);
  directLine?.postActivity(wish).subscribe(undefined, () => offerStop(true));
}

byId('stop').addEventListener('click', stop);

function leave() {
  offerStop(false);
  session?.subscription?.unsubscribe();
  session?.directLine?.end();
  session = undefined;
}

/** Draws the conversation anew, after the colours have changed for instance. */
export function draw() {
  if (!session?.store) return;
  window.WebChat.renderWebChat(
    {
      directLine: session.directLine,
      store: session.store,
      userID: session.userId,
      username: 'You',
      locale: 'en-US',
      nonce,
      // Without a bot, files would stay unread.
      styleOptions: { ...chatStyle(), hideUploadButton: !session.takesFiles },
    },
    byId('chat-host'),
  );
}

function lifetime(seconds) {
  return { refreshAt: Date.now() + (seconds * 1000) / 2 };
}

/** A token with at least half of its life before it. */
async function token() {
  if (!session) {
    throw new Refusal('There is no conversation', 'Start a new conversation and send again.');
  }
  const current = session;
  if (Date.now() > current.refreshAt) {
    const fresh = await ask('/v3/directline/tokens/refresh', { method: 'POST', token: current.token });
    Object.assign(current, { token: fresh.token, ...lifetime(fresh.expires_in) });
  }
  return current.token;
}

/** Converts an answer and puts it into the conversation; gives the activity and the report. A stream can be played slowly. */
export async function deliver(body, { play = false } = {}) {
  return ask(`/page/answers${play ? '?play=true' : ''}`, { method: 'POST', token: await token(), body });
}

/** Converts an answer into every form, and puts it nowhere. */
export async function preview(body) {
  const { forms } = await ask('/page/previews', { method: 'POST', token: await token(), body });
  return forms;
}
