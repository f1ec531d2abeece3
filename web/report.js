// The report of a conversion, as lists.

import { make } from './parts.js';
import { alarms, chip, reasonsOf, withChips } from './verdicts.js';

/** The report's lists in the order they are shown: heading, and whether entries are bad news. */
const REPORT_LISTS = {
  cited: ['Cited', false],
  unresolved: ['Unresolved', true],
  merged: ['Merged', false],
  uncited: ['Not cited', false],
  dropped: ['Left out', false],
  neutralised: ['Made harmless', true],
  cut: ['Shortened', false],
  notes: ['Notes', false],
};

/** The report in one sentence. */
export function summary(report) {
  const many = (list, one, more) => `${list.length} ${list.length === 1 ? one : more}`;
  const parts = [many(report.cited, 'source cited', 'sources cited')];
  if (report.unresolved.length > 0) parts.push(many(report.unresolved, 'marker unresolved', 'markers unresolved'));
  if (report.neutralised.length > 0) parts.push(many(report.neutralised, 'thing made harmless', 'things made harmless'));
  const doubts = alarms(report.support);
  if (doubts > 0) parts.push(doubts === 1 ? '1 citation to look at' : `${doubts} citations to look at`);
  return parts.join(', ');
}

/** The text of a message, with a chip behind each badge that has a verdict. */
export function textParts(text, support) {
  return withChips(text, support).flatMap((part) => (typeof part === 'string' ? withUnseen(part) : part));
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

/** The report as counts and lists. */
export function reportParts(report) {
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
