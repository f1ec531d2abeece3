// Likenesses of channels: how each would show an answer, by what is documented or was seen of it.

import { make } from './parts.js';

/** The elements that messages may have here; their attributes go, but the address of a link. */
const ALLOWED = new Set(
  'A B BLOCKQUOTE BR CODE DEL EM H1 H2 H3 H4 H5 H6 HR I INPUT LI OL P PRE S STRIKE STRONG SUB SUP TABLE TBODY TD TH THEAD TR U UL'.split(' '),
);

/** The nodes of HTML that a channel draws, without anything that runs or loads. What is not allowed leaves its text. */
export function fromHtml(html) {
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return [node.data];
    if (node.nodeType !== Node.ELEMENT_NODE || /^(?:SCRIPT|STYLE|TEMPLATE|HEAD)$/.test(node.tagName)) return [];
    const children = [...node.childNodes].flatMap(copy);
    if (!ALLOWED.has(node.tagName)) return children;
    if (node.tagName === 'A') return [link(node.getAttribute('href'), ...children)];
    const element = make(node.tagName.toLowerCase(), '', ...children);
    if (node.tagName === 'OL' && node.hasAttribute('start')) element.start = node.start;
    if (node.tagName === 'INPUT') {
      Object.assign(element, { type: 'checkbox', checked: node.hasAttribute('checked'), disabled: true });
      element.setAttribute('aria-label', 'Task');
    }
    return [element];
  };
  return [...new DOMParser().parseFromString(html, 'text/html').body.childNodes].flatMap(copy);
}

/** A link to the web that opens elsewhere; any other address leaves its text. */
export function link(address, ...children) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address ?? '')) return make('span', '', ...children);
  const element = make('a', '', ...children);
  Object.assign(element, { href: address, target: '_blank', rel: 'noopener noreferrer' });
  return element;
}

/** Puts something in place of parts of the texts below an element; `put` gives the node, or undefined to leave the part. */
export function replaceInTexts(root, pattern, put) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    const parts = [];
    let at = 0;
    for (const found of text.data.matchAll(pattern)) {
      const node = put(found, text);
      if (!node) continue;
      parts.push(text.data.slice(at, found.index), node);
      at = found.index + found[0].length;
    }
    if (parts.length > 0) text.replaceWith(...parts, text.data.slice(at));
  }
}

/** A number that opens what its channel shows of the source, below the message. */
export function badge(className, text, source) {
  const button = make('button', className, text);
  button.type = 'button';
  button.setAttribute('aria-label', `Source ${text}: ${source.name ?? ''}`);
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => {
    const message = button.closest('.message');
    const before = message.querySelector('.source-card');
    const wasOpen = button.getAttribute('aria-expanded') === 'true';
    for (const each of message.querySelectorAll('button[aria-expanded]')) each.setAttribute('aria-expanded', 'false');
    before?.remove();
    if (wasOpen) return;
    button.setAttribute('aria-expanded', 'true');
    message.append(card(source));
  });
  return button;
}

/** What a channel shows of a source: its lines, the first of them a heading. */
function card({ heading, address, lines }) {
  const title = make('strong', '', address ? link(address, heading) : heading);
  const box = make('div', 'source-card', title, ...lines.filter(Boolean).map((line) => make('p', '', line)));
  box.dir = 'auto';
  box.setAttribute('role', 'status');
  return box;
}

// ---- Teams ----

const TEAMS_PARENTS = new Set(['P']);

/** Why a number that has a source is no badge where it stands. */
function whyText(text) {
  for (let at = text.parentElement; at && !at.classList.contains('message-body'); at = at.parentElement) {
    const why = {
      CODE: 'it stands in code',
      PRE: 'it stands in code',
      TD: 'it stands in a table: Agents Playground draws badges in paragraphs only',
      TH: 'it stands in a table: Agents Playground draws badges in paragraphs only',
      LI: 'it stands in a list without blank lines between the items: Agents Playground draws badges in paragraphs only',
      STRONG: 'it stands in bold text: Agents Playground draws badges directly in paragraphs only',
      EM: 'it stands in italics: Agents Playground draws badges directly in paragraphs only',
      DEL: 'it is struck through: Agents Playground draws badges directly in paragraphs only',
      A: 'it is the text of a link',
    }[at.tagName];
    if (why) return why;
    if (/^H\d$/.test(at.tagName)) return 'it stands in a heading: Agents Playground draws badges in paragraphs only';
  }
  return undefined;
}

export function teams({ output, html }) {
  const message = output?.entities?.find((entity) => entity['@type'] === 'Message') ?? {};
  const claims = new Map((message.citation ?? []).map((claim) => [Number(claim.position), claim.appearance ?? {}]));
  // What is documented of extended Markdown restricts citations to no place but code.
  const isExtended = output?.textFormat === 'extendedmarkdown';
  const body = make('div', 'message-body', ...fromHtml(html ?? ''));
  const left = [];
  replaceInTexts(body, /\[(\d+)\]/g, (found, text) => {
    const number = Number(found[1]);
    const claim = claims.get(number);
    const isDrawn = claim && (isExtended ? !text.parentElement.closest('code, pre, a') : TEAMS_PARENTS.has(text.parentElement.tagName));
    if (isDrawn) {
      const lines = [claim.name !== claim.abstract && claim.name, claim.usageInfo?.name, claim.usageInfo?.description];
      return badge('teams-badge', String(number), { name: claim.name, heading: claim.abstract || claim.name, address: claim.url, lines });
    }
    const why = claim ? (whyText(text) ?? 'Agents Playground draws badges directly in paragraphs only') : 'no source of the message has this number';
    left.push([found[0], why]);
    return make('span', 'left-alone', found[0]);
  });
  const header = make('p', 'message-head', make('strong', '', 'Your bot'));
  if ([message.additionalType ?? []].flat().includes('AIGeneratedContent')) header.append(make('span', 'tag', 'AI generated'));
  if (message.usageInfo?.name) header.append(make('span', 'tag', message.usageInfo.name));
  const parts = [make('div', 'message teams', header, body)];
  if (left.length > 0) {
    const items = left.map(([marker, why]) => make('li', '', make('code', '', marker), ` ${why}.`));
    const list = make('ul', 'left-list', ...items);
    list.setAttribute('aria-label', 'Numbers that stay text');
    parts.push(make('h4', '', 'Numbers that stay text'), list);
  }
  return parts;
}

// ---- Others with HTML or plain text ----

export function plain({ output }) {
  return [make('div', 'message plain', make('div', 'message-body pre', output?.text ?? ''))];
}

export function telegram({ output }) {
  const body = make('div', 'message-body pre', ...fromHtml(output?.channelData?.parameters?.text ?? ''));
  return [make('div', 'message telegram', body)];
}

export function mail({ output }) {
  return [make('div', 'message mail', make('div', 'message-body', ...fromHtml(output?.channelData?.htmlBody ?? '')))];
}

export function openWebUi({ output, html }) {
  const events = output?.events ?? [];
  const body = make('div', 'message-body', ...fromHtml(html ?? ''));
  const source = (number) => events[number - 1]?.data;
  replaceInTexts(body, /\[(\d+)\]/g, (found, text) => {
    const data = source(Number(found[1]));
    if (!data || text.parentElement.closest('code, pre')) return undefined;
    const name = data.source?.name ?? found[1];
    return badge('web-ui-badge', name, { name, heading: name, address: addressOf(data), lines: data.document ?? [] });
  });
  const cards = events.map(({ data }, at) => {
    const name = data.source?.name ?? '';
    const title = make('p', '', make('span', 'number', String(at + 1)), ' ', link(addressOf(data), name));
    const passages = (data.document ?? []).filter(Boolean).map((passage) => make('p', 'passage', passage));
    const item = make('li', 'source-card', title, ...passages);
    item.dir = 'auto';
    return item;
  });
  const list = make('ol', 'cards', ...cards);
  list.setAttribute('aria-label', 'Sources');
  return [make('div', 'message web-ui', body), ...(cards.length > 0 ? [list] : [])];
}

function addressOf(data) {
  return data.source?.url ?? data.metadata?.[0]?.url ?? data.metadata?.[0]?.source;
}

// ---- Google Chat ----

/** The message of Google Chat in an activity, wherever the activity has it. */
function googleMessage(output) {
  const places = [output?.channelData, output?.channelData?.message, output];
  return places.find((place) => place?.elements || /<chat-citation/.test(place?.text ?? '')) ?? places.find((place) => place?.text) ?? {};
}

export function googleChat({ output, html }) {
  const message = googleMessage(output);
  const citations = new Map((message.elements?.citations ?? []).map((citation) => [citation.id, citation]));
  const body = make('div', 'message-body', ...(html ? fromHtml(html) : [message.text ?? '']));
  if (!html) body.classList.add('pre');
  replaceInTexts(body, /<chat-citation data-id="([^"]*)">(.*?)<\/chat-citation>/g, ([, id, text]) => {
    const sources = citations.get(id)?.citedSources ?? [];
    const names = sources.map((source) => source.title ?? source.uri ?? source.url ?? '');
    const address = sources[0]?.uri ?? sources[0]?.url;
    const wordsOf = (given) => given?.text ?? given;
    const lines = [...names.slice(1), ...sources.flatMap((source) => [wordsOf(source.snippet), wordsOf(source.footer)])];
    return badge('google-badge', text.replaceAll(/[[\]]/g, ''), { name: names[0], heading: names[0] ?? `Citation ${id}`, address, lines });
  });
  return [make('div', 'message google', body)];
}
