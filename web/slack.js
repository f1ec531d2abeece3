// A likeness of Slack: its mrkdwn, and the blocks that are documented for answers.

import { coloured } from './json.js';
import { badge, link } from './likeness.js';
import { make } from './parts.js';

export function slack({ output }) {
  const message = output?.channelData ?? output ?? {};
  const blocks = message.blocks ?? [];
  const parts = blocks.length > 0 ? blocks.flatMap(block) : mrkdwn(message.text ?? output?.text ?? '');
  return [make('div', 'message slack', make('p', 'message-head', make('strong', '', 'Your app'), make('span', 'tag', 'APP')), make('div', 'message-body', ...parts))];
}

// ---- mrkdwn ----

const INLINE = /<([^<>|\s]+)(?:\|([^<>]*))?>|`([^`\n]+)`|(?<![\p{L}\p{N}])([*_~])(\S(?:[^\n]*?\S)?)\4(?![\p{L}\p{N}])/gu;

const MARKS = { '*': 'strong', _: 'em', '~': 's' };

/** Only these three are escaped. */
function unescaped(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replaceAll('\u200b', '');
}

function inline(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, address, label, code, mark, marked] = found;
    parts.push(unescaped(text.slice(at, found.index)));
    if (address) parts.push(link(unescaped(address), unescaped(label ?? address)));
    else if (code) parts.push(make('code', '', unescaped(code)));
    else parts.push(make(MARKS[mark], '', ...inline(marked)));
    at = found.index + whole.length;
  }
  parts.push(unescaped(text.slice(at)));
  return parts;
}

/** The nodes of a text in mrkdwn. */
function mrkdwn(text) {
  return text.split(/\n*(```[^]*?```)\n*/).flatMap((part, place) => {
    if (place % 2 === 1) return [make('pre', '', unescaped(part.slice(3, -3).replace(/^\n/, '')))];
    return part.split(/((?:^&gt; ?.*\n?|^> ?.*\n?)+)/m).map((lines, place) => {
      if (place % 2 === 1) return make('blockquote', 'pre', ...inline(lines.replace(/^(?:&gt;|>) ?/gm, '')));
      return make('div', 'pre', ...inline(lines));
    });
  });
}

// ---- blocks ----

function block(given) {
  switch (given.type) {
    case 'rich_text':
      return (given.elements ?? []).map(richText);
    case 'section':
    case 'context':
      return [given.text, ...(given.fields ?? []), ...(given.elements ?? [])].filter(Boolean).map(textObject);
    case 'header':
      return [make('h4', '', given.text?.text ?? '')];
    case 'markdown':
      return [make('div', 'pre', given.text ?? '')];
    case 'divider':
      return [make('hr')];
    case 'table':
      return [table(given)];
    default:
      return unknown(given);
  }
}

/** What this page has no likeness of is shown as it is. */
function unknown(given) {
  return [make('pre', 'code', ...coloured(JSON.stringify(given, null, 2)))];
}

function textObject(given) {
  if (given.type === 'mrkdwn') return make('div', '', ...mrkdwn(given.text ?? ''));
  return given.type === 'plain_text' ? make('div', 'pre', given.text ?? '') : make('div', '', ...unknown(given));
}

function richText(given) {
  const elements = (given.elements ?? []).map(element);
  switch (given.type) {
    case 'rich_text_section':
      return make('div', 'pre', ...elements);
    case 'rich_text_list': {
      const items = (given.elements ?? []).map((item) => make('li', '', richText(item)));
      const list = make(given.style === 'ordered' ? 'ol' : 'ul', '', ...items);
      if (given.offset) list.start = given.offset + 1;
      list.classList.add(`in${Math.min(given.indent ?? 0, 4)}`);
      return list;
    }
    case 'rich_text_quote':
      return make('blockquote', 'pre', ...elements);
    case 'rich_text_preformatted':
      return make('pre', '', ...elements);
    default:
      return make('div', '', ...unknown(given));
  }
}

const STYLES = { bold: 'strong', italic: 'em', strike: 's', code: 'code', underline: 'u' };

function element(given) {
  const styled = (node) =>
    Object.entries(STYLES).reduce((inner, [name, tag]) => (given.style?.[name] ? make(tag, '', inner) : inner), node);
  switch (given.type) {
    case 'text':
      return styled(given.text ?? '');
    case 'link':
      return styled(link(given.url, given.text ?? given.url));
    case 'emoji':
      return `:${given.name}:`;
    case 'citation':
      return citation(given);
    default:
      return make('span', 'left-alone', given.text ?? JSON.stringify(given));
  }
}

function citation({ url, text, index, details }) {
  const heading = details?.title ?? text ?? url;
  const lines = [details?.display_name, details?.snippet, details?.descriptor, details?.app_name];
  return badge('slack-badge', String(index ?? text), { name: heading, heading, address: url, lines });
}

function table({ rows = [] }) {
  const cell = (given) => {
    const text = given.type === 'rich_text' ? block(given) : [given.text ?? JSON.stringify(given)];
    return make('td', '', ...text);
  };
  return make('div', 'table', make('table', '', make('tbody', '', ...rows.map((row) => make('tr', '', ...row.map(cell))))));
}
