// The panel beside the conversation: sample answers, the box to edit them in, and what came out.

import { Refusal, ask, converse, deliver, draw } from './chat.js';
import { coloured, faultIn, isStream } from './json.js';
import { make } from './parts.js';
import { alarms, chip, reasonsOf, withChips } from './verdicts.js';

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
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Whether this server takes answers from its page: only then is the panel there. */
const takesAnswers = !document.querySelector('.panel').hidden;

let samples = [];
/** What the service said about the answer sent last. */
let sent;

function showFailure(error) {
  console.info('citewire page:', error.message);
  const parts = [make('strong', '', error.title ?? 'Something went wrong')];
  const detail = error instanceof Refusal ? error.detail : error.message;
  if (detail) parts.push(make('div', '', detail));
  const place = [error.code, error.pointer && `at ${error.pointer}`].filter(Boolean).join(' ');
  if (place) parts.push(make('code', '', place));
  byId(takesAnswers ? 'failure' : 'chat-notice').replaceChildren(...parts);
}

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
  byId('answer').value = typeof sample.input === 'string' ? sample.input : JSON.stringify(sample.input, null, 2);
  byId('answer').scrollTop = 0;
  byId('format').value = sample.from;
  byId('restore').hidden = true;
  judge();
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
}

async function send() {
  const { value } = byId('answer');
  const answer = isStream(value) ? value : JSON.parse(value);
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
  const parts = withChips(result.activity.text ?? '', result.report.support);
  byId('text').replaceChildren(...parts.flatMap((part) => (typeof part === 'string' ? withUnseen(part) : part)));
  byId('activity').replaceChildren(...coloured(JSON.stringify(result.activity, null, 2)));
  byId('report').replaceChildren(...reportParts(result.report));
}

function summary(report) {
  const many = (list, one, more) => `${list.length} ${list.length === 1 ? one : more}`;
  const parts = [many(report.cited, 'source cited', 'sources cited')];
  if (report.unresolved.length > 0) parts.push(many(report.unresolved, 'marker unresolved', 'markers unresolved'));
  if (report.neutralised.length > 0) parts.push(many(report.neutralised, 'thing made harmless', 'things made harmless'));
  const doubts = alarms(report.support);
  if (doubts > 0) parts.push(doubts === 1 ? '1 citation to look at' : `${doubts} citations to look at`);
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
  if (report.support.length > 0) {
    const list = make('ul', 'entries', ...report.support.map(supportLine));
    list.setAttribute('aria-label', 'Verdicts');
    parts.push(make('h4', '', 'Verdicts'), list);
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

function supportLine({ position, at, verdict, reasons }) {
  const why = reasonsOf(reasons);
  return make('li', '', `[${position}] `, chip(verdict, reasons), make('code', '', [`byte ${at}`, why].filter(Boolean).join('  ')));
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
  converse(showFailure);
});
dark.addEventListener('change', draw);

if (takesAnswers) loadSamples().catch(showFailure);
converse(showFailure);
