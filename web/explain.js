// The report as explanations at the places of the answer's text: what became of each marker, and why.

import { directionOf } from './direction.js';
import { make } from './parts.js';
import { chip, reasonsOf } from './verdicts.js';

/** What may be a marker: brackets with something in them, but no link behind them. */
const BRACKETS = /【[^】\n]{1,80}】|\[\^?[^\[\]\n]{1,80}\](?!\()/g;

/** Code, math and escapes, in which nothing is a marker. */
const APART = [
  [/(^|\n)(`{3,}|~{3,})[^]*?(?:\n\2|$)/g, 'It stands in a code block, where nothing is a marker.'],
  [/(`+)(?!`)[^]*?[^`]\1(?!`)/g, 'It stands in code, where nothing is a marker.'],
  [/\$\$[^]*?\$\$|\\\[[^]*?\\\]/g, 'It stands in math, where nothing is a marker.'],
];

/** The lists of the report that say why something is not as it was. */
const LISTS = ['unresolved', 'neutralised', 'dropped', 'cut', 'merged', 'notes'];

/** The places of bytes in a text, as places of JavaScript. */
function places(text) {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(text);
  const decoder = new TextDecoder();
  let [byte, at] = [0, 0];
  // They are asked for in ascending order.
  return (wanted) => {
    if (wanted < byte) [byte, at] = [0, 0];
    at += decoder.decode(bytes.subarray(byte, wanted)).length;
    byte = wanted;
    return at;
  };
}

/** What the report says at places of the text. */
function noted(report, text) {
  const toPlace = places(text);
  const entries = LISTS.flatMap((list) => (report[list] ?? []).map((entry) => ({ ...entry, list })));
  const inText = entries.filter(({ at }) => typeof at === 'number').sort((one, other) => one.at - other.at);
  return inText.map((entry) => ({ ...entry, place: toPlace(entry.at) }));
}

function apart(text) {
  return APART.flatMap(([pattern, why]) => [...text.matchAll(pattern)].map(({ 0: whole, index }) => ({ from: index, to: index + whole.length, why })));
}

/** The claims by the ends of their texts. */
function ends(claims, text) {
  const toPlace = places(text);
  return [...claims].sort((one, other) => one.end - other.end).map((claim) => ({ ...claim, place: toPlace(claim.end) }));
}

/**
 * The markers of a text, in order: each with its place, its words, what became of it (`cited`, `left` or `noted`), and why.
 * `records` is the form for programs, which says where each claim ends; `report` is that of the shown form.
 */
export function markers(records, report) {
  const text = records.text ?? '';
  const entries = noted(report, text);
  const regions = apart(text);
  const claims = ends(records.claims ?? [], text);
  const found = [...text.matchAll(BRACKETS)].map(({ 0: words, index }) => {
    const end = index + words.length;
    const entry = entries.find(({ place }) => place >= index && place < end);
    if (entry) {
      entry.isShown = true;
      return { at: index, words, kind: entry.list === 'unresolved' ? 'left' : 'noted', why: entry.message, code: entry.code };
    }
    const region = regions.find(({ from, to }) => index >= from && end <= to);
    if (region) return { at: index, words, kind: 'left', why: region.why };
    if (text[index - 1] === '\\') return { at: index, words, kind: 'left', why: 'A backslash stands before it, which makes it text.' };
    const claim = claims.findLast(({ place }) => place <= index);
    const between = claim && text.slice(claim.place, index).replaceAll(BRACKETS, '');
    if (claim && /^[\s\p{P}\p{S}]*$/u.test(between)) return { at: index, words, kind: 'cited', claim };
    if (!/\d/.test(words)) return undefined;
    return { at: index, words, kind: 'left', why: 'It names no source in a form that this format has, so it stays text.' };
  });
  const others = entries.filter(({ isShown }) => !isShown);
  const elsewhere = others.map(({ place, message, code }) => ({ at: place, words: '', kind: 'noted', why: message, code }));
  return [...found.filter(Boolean), ...elsewhere].sort((one, other) => one.at - other.at);
}

/** The text of an answer with its explanations, and a line that counts them. */
export function explained(records, report) {
  const text = records.text ?? '';
  const all = markers(records, report);
  shareVerdicts(all, report.support ?? []);
  const parts = [];
  let at = 0;
  for (const marker of all) {
    parts.push(text.slice(at, marker.at), ...shown(marker));
    at = marker.at + marker.words.length;
  }
  parts.push(text.slice(at));
  const body = make('div', 'explained', ...parts);
  body.dir = directionOf(text);
  return [make('p', 'quiet-text', counted(all, report)), body];
}

/** Gives each marker of a claim the verdict about its source; where these are not as many, the last one has all. */
function shareVerdicts(all, support) {
  const cited = all.filter(({ kind }) => kind === 'cited');
  for (const claim of new Set(cited.map((marker) => marker.claim))) {
    const run = cited.filter((marker) => marker.claim === claim);
    const lines = support.filter(({ at }) => at === claim.start);
    const isEach = run.length === lines.length;
    for (const [place, marker] of run.entries()) {
      if (isEach) marker.lines = [lines[place]];
      else marker.lines = place === run.length - 1 ? lines : [];
    }
  }
}

function shown({ kind, words, why, code, lines = [] }) {
  const mark = words ? [make('mark', kind, words)] : [];
  if (kind !== 'cited') {
    // Many messages begin with the marker, which stands before them already.
    const note = make('span', `why ${kind}`, words && why.startsWith(`${words} `) ? why.slice(words.length + 1) : why);
    if (code) note.append(' ', make('code', '', code));
    return [...mark, note];
  }
  const verdicts = lines.map(({ position, verdict, reasons }) => {
    // What the marker has become, where readers see something else.
    const number = words === `[${position}]` ? '' : ` → [${position}]`;
    const line = make('span', 'verdict-of', number, chip(verdict, reasons));
    line.title = reasonsOf(reasons);
    return line;
  });
  return [...mark, ...verdicts];
}

function counted(all, report) {
  const many = (kind) => all.filter((marker) => marker.kind === kind && marker.words).length;
  const [cited, left] = [many('cited'), many('left')];
  const parts = [`${cited} ${cited === 1 ? 'marker cites' : 'markers cite'} a source`];
  if (left > 0) parts.push(`${left} ${left === 1 ? 'stays' : 'stay'} text, and why stands behind ${left === 1 ? 'it' : 'each'}`);
  if (all.length === 0) parts[0] = 'There are no markers in the text';
  const elsewhere = LISTS.flatMap((list) => report[list] ?? []).filter(({ at }) => typeof at !== 'number').length;
  if (elsewhere > 0) parts.push(`${elsewhere} more about sources in the report`);
  return `${parts.join('; ')}.`;
}
