// Verdicts about citations: a chip at each badge, and a list with the words that a source does not hold.

import { make } from './parts.js';

/** The sign and the kind of each verdict. */
const SIGNS = {
  verbatim: ['✓', 'held'],
  'supported-words': ['✓', 'held'],
  unknown: ['?', ''],
  unsupported: ['!', 'wrong'],
  conflict: ['!', 'wrong'],
};

/** Whether somebody should look at the citation. */
const isAlarm = (verdict) => SIGNS[verdict]?.[1] === 'wrong';

/** A verdict with its words. */
export function chip(verdict, reasons = []) {
  const [sign, kind] = SIGNS[verdict] ?? SIGNS.unknown;
  const words = isAlarm(verdict) ? reasons.map(({ text }) => text).filter(Boolean) : [];
  const told = words.length > 0 ? `${verdict}: ${[...new Set(words)].join(', ')}` : verdict;
  const mark = make('span', '', sign);
  mark.setAttribute('aria-hidden', 'true');
  return make('span', `verdict ${kind}`.trim(), mark, ` ${told}`);
}

/** A chip that is drawn beside a text and is no part of it when the text is copied. */
function drawnChip(verdict, reasons) {
  const drawn = chip(verdict, reasons);
  const told = drawn.textContent;
  drawn.replaceChildren();
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', told);
  return drawn;
}

/** Reasons in words. */
export function reasonsOf(reasons) {
  return reasons.map(({ code, text }) => (text ? `${code} (${text})` : code)).join(', ');
}

/** How many citations somebody should look at. */
export function alarms(support) {
  return support.filter(({ verdict }) => isAlarm(verdict)).length;
}

/**
 * The parts of a text, with a chip behind each badge. `support` are the lines of a report, in the order of the text. A number whose
 * badges are not as many as its lines has no chip: the list says its verdicts.
 */
export function withChips(text, support) {
  // The definitions at the end say where the badges lead.
  const end = text.search(/\n\n\[\d+\]: /);
  const badges = [...text.slice(0, end < 0 ? undefined : end).matchAll(/(?<!\\)\[(\d+)\]/g)];
  const waiting = new Map();
  for (const number of new Set(support.map(({ position }) => position))) {
    const lines = support.filter(({ position }) => position === number);
    const isEach = badges.filter(([, digits]) => Number(digits) === number).length === lines.length;
    if (isEach) waiting.set(number, lines);
  }
  const parts = [];
  let at = 0;
  for (const { 0: badge, 1: digits, index } of badges) {
    const line = waiting.get(Number(digits))?.shift();
    if (!line) continue;
    const behind = index + badge.length;
    parts.push(text.slice(at, behind), drawnChip(line.verdict, line.reasons));
    at = behind;
  }
  return [...parts, text.slice(at)];
}

/** The claims that the route for support gives, as a list: the cited words, their badges and the verdict. */
export function claimList({ text, claims }, numberOf) {
  const bytes = new TextEncoder().encode(text);
  const items = claims.map(({ start, end, positions, verdict, reasons }) => {
    const words = new TextDecoder().decode(bytes.slice(start, end));
    const badges = positions.map((position) => `[${numberOf(position)}]`).join('');
    const item = make('li', '', chip(verdict, reasons), make('q', '', words), ` ${badges}`);
    const why = reasonsOf(reasons);
    if (why) item.append(make('span', 'why', why));
    return item;
  });
  const list = make('ul', 'verdicts', ...items);
  list.setAttribute('aria-label', 'Citations');
  return list;
}
