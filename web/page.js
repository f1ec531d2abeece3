// The panel beside the conversation: sample answers, the box to edit them in, and what came out, in every form.

import { activitiesAsJson, forgetActivities } from './activities.js';
import { Refusal, ask, converse, deliver, draw, preview } from './chat.js';
import { explained } from './explain.js';
import { takeFiles } from './files.js';
import { drawForm, findingsOf, formName } from './forms.js';
import { coloured, faultIn, isStream } from './json.js';
import { copy, make } from './parts.js';
import { reportParts, summary, textParts } from './report.js';
import * as link from './state.js';
import { tablist } from './tabs.js';

const byId = (id) => document.getElementById(id);
const dark = matchMedia('(prefers-color-scheme: dark)');
const main = document.querySelector('main');

/** Whether this server takes answers from its page: only then is the panel there. */
const takesAnswers = !document.querySelector('.panel').hidden;

/** The real conversation, which is the first form. */
const CHAT = 'web-chat';

/** The pause in typing after which the forms are drawn anew. */
const PAUSE_MS = 500;

let samples = [];
/** What the service said about the answer sent last. */
let sent;
/** The forms of the answer that was drawn last. */
let forms = [];
/** The shown form. */
let form = CHAT;

function failureParts(error) {
  console.info('citewire page:', error.message);
  const parts = [make('strong', '', error.title ?? 'Something went wrong')];
  const detail = error instanceof Refusal ? error.detail : error.message;
  if (detail) parts.push(make('div', '', detail));
  const place = [error.code, error.pointer && `at ${error.pointer}`].filter(Boolean).join(' ');
  if (place) parts.push(make('code', '', place));
  return parts;
}

function showFailure(error) {
  byId(takesAnswers ? 'failure' : 'chat-notice').replaceChildren(...failureParts(error));
}

// ---- samples and the box ----

async function loadSamples() {
  try {
    samples = await ask('/page/samples');
  } catch (error) {
    byId('samples-wait').textContent = 'The answers could not be fetched. Paste your own below.';
    throw error;
  }
  byId('sample-list').replaceChildren(...samples.map(sampleChoice));
  byId('sample-count').textContent = `${samples.length}, scroll for more`;
  const formats = [...new Set(samples.map((sample) => sample.from))].sort();
  byId('format').append(...formats.map((format) => new Option(format, format)));
  showWhetherMore();
}

/** The list has a shade at its lower edge while there is more below. */
function showWhetherMore() {
  const { scrollTop, clientHeight, scrollHeight } = byId('sample-list');
  byId('sample-box').classList.toggle('goes-on', scrollTop + clientHeight < scrollHeight - 4);
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
  fill(typeof sample.input === 'string' ? sample.input : JSON.stringify(sample.input, null, 2), sample.from);
  byId('restore').hidden = true;
}

/** Puts an answer into the box. */
function fill(answer, format) {
  byId('answer').value = answer;
  byId('answer').scrollTop = 0;
  byId('format').value = format;
  // A format that this server does not know leaves none chosen.
  if (byId('format').selectedIndex < 0) byId('format').value = 'auto';
  changed();
}

function chosen() {
  return samples.find((sample) => byId(`sample-${sample.id}`).checked);
}

/** Says beside the box what is wrong with it. */
function judge() {
  const box = byId('answer');
  const fault = isStream(box.value) ? undefined : faultIn(box.value);
  let problem = '';
  if (fault) problem = box.value.trim() === '' ? 'Paste an answer as JSON.' : `This is no JSON yet. ${fault}`;
  // Text that stays the same is not announced again.
  if (byId('answer-problem').textContent !== problem) byId('answer-problem').textContent = problem;
  box.setAttribute('aria-invalid', String(problem !== ''));
  byId('send').disabled = problem !== '';
  byId('play-choice').hidden = fault !== undefined || !isStream(box.value);
}

/** The request with what is in the box. */
function request() {
  const { value } = byId('answer');
  return { from: byId('format').value, answer: isStream(value) ? value : JSON.parse(value) };
}

let pause;

/** After each change of the box: what is wrong, the address, and the shown form. */
function changed() {
  judge();
  clearTimeout(pause);
  pause = setTimeout(() => {
    keepInAddress();
    if (form === CHAT || byId('send').disabled) return;
    sent = undefined;
    showForms();
  }, PAUSE_MS);
}

// ---- sending ----

async function send() {
  const body = request();
  byId('failure').replaceChildren();
  byId('outcome').textContent = 'Sending.';
  byId('send').disabled = true;
  keepInAddress();
  const drawn = showForms(body);
  try {
    sent = await deliver(body, { play: byId('play').checked && typeof body.answer === 'string' });
    byId('outcome').textContent = `Sent: ${summary(sent.report)}.`;
    showResult();
    conversationIntoView();
  } catch (error) {
    sent = undefined;
    await drawn;
    const isOld = forms.length === 0 && !byId('result-tabs').hidden;
    byId('outcome').textContent = isOld ? 'Not sent. Below is what came out before.' : 'Not sent.';
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

/** The number of the newest drawing: an older one that comes late is not shown. */
let drawing = 0;

/** Draws the answer in every form. */
async function showForms(body = request()) {
  drawing += 1;
  const number = drawing;
  try {
    const drawn = await preview(body);
    if (number !== drawing) return;
    forms = drawn;
    byId('form-problem').replaceChildren();
    listForms(forms.map(({ name }) => name));
    showResult();
  } catch (error) {
    if (number !== drawing) return;
    forms = [];
    byId('form-view').replaceChildren();
    byId('form-problem').replaceChildren(...failureParts(error));
  }
}

// ---- what came out ----

/** The form that is drawn. */
let drawnForm;

/** The shown form; in the real conversation with what the service delivered there. */
function shownForm() {
  const found = forms.find(({ name }) => name === form);
  return form === CHAT && sent ? { ...found, name: CHAT, output: sent.activity, report: sent.report } : found;
}

function showResult() {
  const shown = shownForm();
  if (!shown) return;
  byId('result-tabs').hidden = false;
  byId('result-form').textContent = formName(shown.name);
  // What is drawn already stays, with the card that its reader has opened.
  if (form !== CHAT && shown !== drawnForm) {
    byId('form-view').replaceChildren(...drawForm(shown));
    drawnForm = shown;
  }
  const records = forms.find(({ name }) => name === 'records')?.output;
  if (records) byId('explained').replaceChildren(...explained(records, shown.report));
  const text = shown.output?.text ?? shown.output?.channelData?.text ?? shown.output?.content ?? '';
  byId('text').replaceChildren(...textParts(text, shown.report.support));
  byId('activity').replaceChildren(...coloured(JSON.stringify(shown.output, null, 2)));
  byId('report').replaceChildren(...reportParts(shown.report));
  byId('check').replaceChildren(...findingsOf(shown));
}

// ---- forms ----

const openResult = tablist(byId('result-list'), (tab) => {
  for (const view of document.querySelectorAll('.view')) view.hidden = view.id !== tab.getAttribute('aria-controls');
  keepInAddress();
});

const openForm = tablist(byId('form-list'), (tab) => {
  form = tab.dataset.form;
  const isChat = form === CHAT;
  byId('chat-panel').classList.toggle('is-behind', !isChat);
  byId('chat-panel').inert = !isChat;
  byId('form-panel').hidden = isChat;
  byId('form-panel').setAttribute('aria-labelledby', tab.id);
  keepInAddress();
  if (forms.length > 0) showResult();
  else if (!isChat && !byId('send').disabled) showForms();
});

/** Shows a tab for each form that the server knows. */
function listForms(names) {
  const list = byId('form-list');
  const before = [...list.children].map((tab) => tab.dataset.form);
  if (before.join(' ') === names.join(' ')) return;
  const tab = (name) => {
    const button = make('button', '', formName(name));
    Object.assign(button, { type: 'button', id: `form-${name}` });
    button.dataset.form = name;
    button.setAttribute('role', 'tab');
    button.setAttribute('aria-controls', name === CHAT ? 'chat-panel' : 'form-panel');
    button.setAttribute('aria-selected', String(name === form));
    button.tabIndex = name === form ? 0 : -1;
    return button;
  };
  list.replaceChildren(...names.map(tab));
}

function tabOf(name) {
  return [...byId('form-list').children].find((tab) => tab.dataset.form === name);
}

// ---- the address ----

/** Whether the page shows what it begins with, so that the address has to say something. */
let isReady = false;

/** The number of the newest state, because writing one takes a moment. */
let writing = 0;

/** Keeps the state of the page in its address. */
async function keepInAddress() {
  if (!isReady || !takesAnswers) return;
  writing += 1;
  const number = writing;
  const open = document.querySelector('#result-list [aria-selected="true"]').id.replace('tab-', '');
  const state = { answer: byId('answer').value, from: byId('format').value, form, open, play: byId('play').checked };
  const fragment = await link.written(state);
  if (number !== writing) return;
  history.replaceState(null, '', `${location.pathname}${location.search}${fragment ?? ''}`);
  const isLong = fragment === undefined;
  const words = isLong
    ? 'This answer is too long for an address: send it as a file.'
    : 'The address holds all of this.';
  if (byId('link-note').textContent !== words) byId('link-note').textContent = words;
  byId('link-note').classList.toggle('notice-line', isLong);
  byId('copy-link').disabled = isLong;
}

/** Shows the state in the address; false where there is none. */
async function showFromAddress() {
  let state;
  try {
    state = await link.read(location.hash);
  } catch (error) {
    byId('link-problem').textContent = error.message;
    return false;
  }
  if (!state) return false;
  fill(state.answer, state.from ?? 'auto');
  byId('play').checked = state.play !== false;
  const wanted = tabOf(state.form);
  if (wanted) openForm(wanted);
  else if (state.form) byId('link-problem').textContent = `This server does not know the form ${String(state.form).slice(0, 40)} of the link; it shows Web Chat.`;
  const view = /^[a-z]+$/.test(state.open ?? '') && byId(`tab-${state.open}`);
  if (view) openResult(view);
  return true;
}

// ---- start ----

byId('answer').addEventListener('input', () => {
  byId('restore').hidden = chosen() === undefined;
  changed();
});
byId('answer').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) byId('answer-form').requestSubmit();
});
byId('format').addEventListener('change', changed);
byId('play').addEventListener('change', keepInAddress);
byId('sample-list').addEventListener('scroll', showWhetherMore);
byId('restore').addEventListener('click', () => {
  choose(chosen());
  byId('answer').focus();
});
byId('answer-form').addEventListener('submit', (event) => {
  event.preventDefault();
  if (!byId('send').disabled) send();
});
byId('copy').addEventListener('click', () => copy(byId('copy'), JSON.stringify(shownForm().output, null, 2), byId('activity')));
byId('copy-link').addEventListener('click', async () => {
  await keepInAddress();
  copy(byId('copy-link'), location.href);
});
byId('copy-activities').addEventListener('click', () => copy(byId('copy-activities'), activitiesAsJson()));
byId('forget-activities').addEventListener('click', forgetActivities);
byId('start-anew').addEventListener('click', () => {
  byId('failure').replaceChildren();
  converse(showFailure);
});
// Their fragments would take the place of the state in the address.
for (const skip of document.querySelectorAll('.skip')) {
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    const target = document.querySelector(skip.getAttribute('href'));
    target.scrollIntoView();
    target.focus();
  });
}
// A link that is pasted into the address of the open page.
addEventListener('hashchange', async () => {
  byId('link-problem').textContent = '';
  if (await showFromAddress()) sendFromLink();
});
takeFiles(
  document.querySelector('.panel'),
  byId('file'),
  Number(main.dataset.limit),
  (text, name) => {
    for (const radio of document.querySelectorAll('.sample input')) radio.checked = false;
    byId('restore').hidden = true;
    byId('failure').replaceChildren();
    fill(text, 'auto');
    byId('outcome').textContent = `${name} is in the box; send it to see what comes out.`;
  },
  (words) => showFailure(new Refusal('The file is not read', words)),
);
dark.addEventListener('change', draw);

function sendFromLink() {
  if (!byId('send').disabled) send();
}

/** Chooses what the page begins with: the state of the address, or the first sample. */
async function begin() {
  await loadSamples();
  const isFromLink = await showFromAddress();
  if (!isFromLink && samples.length > 0) {
    document.querySelector('.sample input').checked = true;
    choose(samples[0]);
  }
  return isFromLink;
}

listForms(main.dataset.forms.split(' '));
const conversing = converse(showFailure);
if (takesAnswers) {
  try {
    const isFromLink = await begin();
    // The conversation has to be there before something is sent into it.
    await conversing;
    if (isFromLink) sendFromLink();
  } catch (error) {
    showFailure(error);
  }
  isReady = true;
}
