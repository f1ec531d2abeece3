// The page: sample answers on one side, real Web Chat on this server's Direct Line on the other.

const NOTHING_ANSWERS =
  'Nothing behind this page answers questions yet. Choose an answer from the list to see it arrive with its citations.';

/** Direct Line's connection states, by number, and what they mean to a reader. */
const CONNECTION = [
  ['waiting', 'Not connected yet'],
  ['waiting', 'Connecting'],
  ['online', 'Connected'],
  ['lost', 'The session has expired: start a new conversation'],
  ['lost', 'Cannot connect'],
  ['lost', 'The conversation has ended'],
];

/** The report's lists in the order they are shown: heading, and whether entries are bad news. */
const REPORT_LISTS = {
  cited: ['Cited', false],
  unresolved: ['Unresolved', true],
  merged: ['Merged', false],
  dropped: ['Left out', false],
  neutralised: ['Made harmless', true],
  cut: ['Shortened', false],
  notes: ['Notes', false],
};

const byId = (id) => document.getElementById(id);
const nonce = document.querySelector('script[nonce]').nonce;
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The running conversation: token, expiresAt, userId, and Web Chat's client and store. */
let session;
let samples = [];
let sent;

// ---- words ----

/** An error whose message is meant for the reader. */
class Refusal extends Error {
  constructor(title, detail, code, pointer) {
    super(detail ? `${title}: ${detail}` : title);
    Object.assign(this, { title, detail, code, pointer });
  }
}

/** A request to this server; gives the JSON of a good answer and throws a Refusal for everything else. */
async function ask(path, { token, body, method = 'GET' } = {}) {
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
    throw new Refusal(
      'The session is not valid any more',
      'Start a new conversation and send again.',
      answer?.code ?? answer?.error?.code,
    );
  }
  const title = answer?.title ?? `The server answered ${response.status}`;
  throw new Refusal(title, answer?.detail ?? answer?.error?.message, answer?.code ?? answer?.error?.code, answer?.pointer);
}

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function showFailure(error) {
  console.info('citewire page:', error.message);
  const parts = [make('strong', '', error.title ?? 'Something went wrong')];
  const detail = error instanceof Refusal ? error.detail : error.message;
  if (detail) parts.push(make('div', '', detail));
  const place = [error.code, error.pointer && `at ${error.pointer}`].filter(Boolean).join(' ');
  if (place) parts.push(make('code', '', place));
  byId('failure').replaceChildren(...parts);
}

function showConnection(state, words) {
  byId('connection').dataset.state = state;
  byId('connection-text').textContent = words;
}

// ---- the conversation ----

let webChat;

/** Loads Web Chat's script once; a server that has none answers 404. */
function loadWebChat() {
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

/** Opens a fresh conversation and puts it on the page in place of the one before. */
async function converse() {
  const before = session;
  session = undefined;
  before?.subscription?.unsubscribe();
  before?.directLine?.end();
  showConnection('waiting', 'Connecting');
  try {
    const opened = await ask('/page/session', { method: 'POST' });
    session = { ...opened, ...lifetime(opened.expires_in) };
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
  byId('chat-notice').replaceChildren();
  const bundle = document.querySelector('meta[name="botframework-webchat:bundle:version"]')?.content;
  if (bundle) byId('web-chat-version').textContent = `Web Chat ${bundle}`;

  current.directLine = WebChat.createDirectLine({ domain: `${location.origin}/v3/directline`, token: current.token });
  current.subscription = current.directLine.connectionStatus$.subscribe((status) => {
    showConnection(...(CONNECTION[status] ?? CONNECTION[0]));
  });
  current.store = WebChat.createStore({}, () => (next) => (action) => {
    const result = next(action);
    // Only now has the server taken the message, so what we add comes after it.
    if (action.type === 'DIRECT_LINE/POST_ACTIVITY_FULFILLED' && action.payload.activity.type === 'message') {
      deliver({ answer: { text: NOTHING_ANSWERS } }).catch(showFailure);
    }
    return result;
  });
  const host = make('div', 'chat-host');
  host.id = 'chat-host';
  byId('chat-host').replaceWith(host);
  draw();
}

function draw() {
  if (!session?.store) return;
  window.WebChat.renderWebChat(
    {
      directLine: session.directLine,
      store: session.store,
      userID: session.userId,
      username: 'You',
      locale: 'en-US',
      nonce,
      styleOptions: chatStyle(),
    },
    byId('chat-host'),
  );
}

/** Web Chat's style options from the colours of page.css, which follow the reader's scheme. */
function chatStyle() {
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
    hideUploadButton: true,
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

async function deliver(body) {
  return ask('/page/answers', { method: 'POST', token: await token(), body });
}

// ---- the panel ----

async function loadSamples() {
  try {
    samples = await ask('/page/samples');
  } catch (error) {
    byId('samples-wait').textContent = 'The answers could not be fetched. Paste your own below.';
    throw error;
  }
  byId('sample-list').replaceChildren(...samples.map(sampleChoice));
  const formats = [...new Set(samples.map((sample) => sample.from))].sort();
  byId('format').append(...formats.map((format) => new Option(format, format)));
  if (samples.length > 0) {
    document.querySelector('.sample input').checked = true;
    choose(samples[0]);
  }
}

function sampleChoice(sample) {
  const radio = make('input');
  Object.assign(radio, { type: 'radio', name: 'sample', value: sample.id, id: `sample-${sample.id}` });
  radio.setAttribute('aria-describedby', `summary-${sample.id}`);
  radio.addEventListener('change', () => choose(sample));
  const summary = make('span', 'quiet-text', sample.summary);
  summary.id = `summary-${sample.id}`;
  const title = make('strong', '', sample.title);
  title.id = `title-${sample.id}`;
  radio.setAttribute('aria-labelledby', title.id);
  return make('label', 'sample', radio, title, summary);
}

function choose(sample) {
  byId('answer').value = JSON.stringify(sample.input, null, 2);
  byId('answer').scrollTop = 0;
  byId('format').value = sample.from;
  byId('restore').hidden = true;
  judge();
}

function chosen() {
  return samples.find((sample) => byId(`sample-${sample.id}`).checked);
}

/** Reads the box; says beside it what is wrong. Gives undefined when it is no JSON. */
function judge() {
  const box = byId('answer');
  let answer;
  let problem = '';
  try {
    answer = JSON.parse(box.value);
  } catch (error) {
    problem = box.value.trim() === '' ? 'Paste an answer as JSON.' : `This is no JSON: ${placed(error.message, box.value)}`;
  }
  // Text that stays the same is not announced again.
  if (byId('answer-problem').textContent !== problem) byId('answer-problem').textContent = problem;
  box.setAttribute('aria-invalid', String(problem !== ''));
  byId('send').disabled = problem !== '';
  return answer;
}

/** The engine's message with line and column, where it gives only a position. */
function placed(message, text) {
  const reason = message.replace(/^JSON\.parse: /, '').replace(/ in JSON at position.*$| \(line \d+ column \d+\)$/, '');
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return `${reason}.`;
  const lines = text.slice(0, Number(position)).split('\n');
  return `line ${lines.length}, column ${lines.at(-1).length + 1}: ${reason}.`;
}

async function send() {
  const answer = judge();
  if (answer === undefined) return;
  byId('failure').replaceChildren();
  byId('outcome').textContent = 'Sending.';
  byId('send').disabled = true;
  try {
    showResult(await deliver({ from: byId('format').value, answer }));
    conversationIntoView();
  } catch (error) {
    byId('outcome').textContent = sent ? 'Not sent. Below is what came out before.' : 'Not sent.';
    showFailure(error);
  } finally {
    judge();
  }
}

/** Where both halves are stacked, the reader would otherwise not see the message arrive. */
function conversationIntoView() {
  const { top, bottom } = byId('conversation').getBoundingClientRect();
  if (bottom < 120 || top > innerHeight - 120) byId('conversation').scrollIntoView({ block: 'start' });
}

function showResult(result) {
  sent = result;
  byId('result-tabs').hidden = false;
  byId('outcome').textContent = summary(result.report);
  byId('text').replaceChildren(...withUnseen(result.activity.text ?? ''));
  byId('activity').replaceChildren(...highlighted(JSON.stringify(result.activity, null, 2)));
  byId('report').replaceChildren(...reportParts(result.report));
}

function summary(report) {
  const many = (list, one, more) => `${list.length} ${list.length === 1 ? one : more}`;
  const parts = [many(report.cited, 'source cited', 'sources cited')];
  if (report.unresolved.length > 0) parts.push(many(report.unresolved, 'marker unresolved', 'markers unresolved'));
  if (report.neutralised.length > 0) parts.push(many(report.neutralised, 'thing made harmless', 'things made harmless'));
  return `Sent: ${parts.join(', ')}.`;
}

/** The text with a visible sign for each zero-width space, which keeps neighbouring badges apart. */
function withUnseen(text) {
  return text.split(/(\u200b)/).map((part) => {
    if (part !== '\u200b') return part;
    const sign = make('span', 'unseen', 'ZWSP');
    sign.title = 'U+200B, zero width space';
    return sign;
  });
}

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function highlighted(json) {
  const parts = [];
  let end = 0;
  for (const token of json.matchAll(JSON_TOKEN)) {
    parts.push(json.slice(end, token.index));
    const [whole, string, colon] = token;
    parts.push(make('span', string ? (colon ? 'json-key' : 'json-string') : 'json-other', string ?? whole), colon ?? '');
    end = token.index + whole.length;
  }
  parts.push(json.slice(end));
  return parts;
}

function reportParts(report) {
  const counts = make('ul', 'counts');
  const whole = make('li', report.complete ? '' : 'wrong', report.complete ? 'complete' : 'not complete');
  counts.append(whole);
  if (report.tools_invoked !== null) {
    counts.append(make('li', '', report.tools_invoked ? 'tools were used' : 'no tools were used'));
  }
  const parts = [counts];
  if (report.error) {
    parts.push(make('h4', '', 'Error of the provider'), make('pre', 'code', JSON.stringify(report.error, null, 2)));
  }
  for (const [name, [heading, bad]] of Object.entries(REPORT_LISTS)) {
    const entries = report[name] ?? [];
    const weight = entries.length === 0 ? '' : bad ? 'wrong' : 'some';
    counts.append(make('li', weight, `${entries.length} ${heading.toLowerCase()}`));
    if (entries.length === 0) continue;
    const list = make('ul', 'entries', ...entries.map(entryLine));
    list.setAttribute('aria-label', heading);
    parts.push(make('h4', '', heading), list);
  }
  return parts;
}

function entryLine({ code, at, message }) {
  const place = typeof at === 'number' ? `byte ${at}` : at;
  return make('li', '', message, make('code', '', [code, place].filter(Boolean).join('  ')));
}

/** Puts the activity on the clipboard, or selects it where the page may not. */
async function copyActivity() {
  const button = byId('copy');
  try {
    await navigator.clipboard.writeText(JSON.stringify(sent.activity, null, 2));
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(byId('activity'));
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}

// ---- tabs ----

const tabs = [...document.querySelectorAll('[role="tab"]')];

function openTab(tab) {
  for (const each of tabs) {
    const open = each === tab;
    each.setAttribute('aria-selected', String(open));
    each.tabIndex = open ? 0 : -1;
    byId(each.getAttribute('aria-controls')).hidden = !open;
  }
}

function moveInTabs(event) {
  const last = tabs.length - 1;
  const here = tabs.indexOf(event.target);
  const target = {
    ArrowRight: here === last ? 0 : here + 1,
    ArrowLeft: here === 0 ? last : here - 1,
    Home: 0,
    End: last,
  }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  tabs[target].focus();
  openTab(tabs[target]);
}

for (const tab of tabs) {
  tab.addEventListener('click', () => openTab(tab));
  tab.addEventListener('keydown', moveInTabs);
}

// ---- start ----

byId('answer').addEventListener('input', () => {
  byId('restore').hidden = chosen() === undefined;
  judge();
});
byId('answer').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) byId('answer-form').requestSubmit();
});
byId('restore').addEventListener('click', () => {
  choose(chosen());
  byId('answer').focus();
});
byId('answer-form').addEventListener('submit', (event) => {
  event.preventDefault();
  if (!byId('send').disabled) send();
});
byId('copy').addEventListener('click', copyActivity);
byId('start-anew').addEventListener('click', () => {
  byId('failure').replaceChildren();
  converse();
});
dark.addEventListener('change', draw);

judge();
loadSamples().catch(showFailure);
converse();
