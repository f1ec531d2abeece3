// Reads Markdown as the engines of Web Chat read it: JSON lines in on stdin, JSON lines out on stdout.
//
// In: a list of questions { "text": "…", "markers": true }. With `markers`, the text is an answer as a model wrote it:
// definitions whose label could be a citation marker take no effect, so that markers are read as the text that they are, and
// `links` is told as well: the links that markdown-it finds when those definitions do take effect; and
// `links_without_definitions`, when none does.
// Out: the list of answers, { "engines": { name: { "flow": […], "definitions": […], "drawn": […] } }, "links": […], "links_without_definitions": […] }, or
// null in the place of one at which an engine failed.
// The flow is what a reader gets, in order:
//   ["t", text]  ["a", text, url, title]  ["img", text, url, title]  ["code", text]  ["pre", text]  ["html", source]
//   ["br"]  ["<", block]  [">", block]
// U+FDD0 and U+FDD1 stand around what was escaped or written as an entity. Bare addresses are text in the flow; `drawn` is
// its links, images and code with everything switched on, as the page draws them.
//
// An engine is asked only where its answer can differ from one that is known: extensions are left out of texts without the
// characters that they read, and bare addresses of texts without any.

import MarkdownIt from 'markdown-it';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfmFootnoteFromMarkdown } from 'mdast-util-gfm-footnote';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { mathFromMarkdown } from 'mdast-util-math';
import { gfm } from 'micromark-extension-gfm';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { math } from 'micromark-extension-math';
import { createInterface } from 'node:readline';

const ITEM = String.raw`(?:docs?\s*)?\d+`;
const MARKER = new RegExp(String.raw`^\s*(?:\^\d+\^?|${ITEM}(?:\s*[-–,]\s*${ITEM})*)\s*$`, 'i');
const isMarker = label => MARKER.test(label);
const plain = text => text.replace(/[\uFDD0\uFDD1]/g, '');
const kept = text => `\uFDD0${text}\uFDD1`;

const isDrawn = ([kind]) => ['a', 'img', 'code'].includes(kind);
const isLink = ([kind]) => kind === 'a' || kind === 'img';

// What only bare addresses and math are made of; the addresses of definitions are none.
const mayDrawMore = text => /(?<!\]: )(?:\/\/|www\.)|mailto:|xmpp:|@|\$\$/i.test(text);
// Tables, strikethrough, footnotes.
const mayHaveMoreBlocks = text => /[|~]|\[\^|:-|-:/.test(text);
// Definitions, and addresses that markdown-it takes for harmful.
const mayLinkOtherwise = text => /\]:|(?:javascript|vbscript|file|data|&[#a-z])/i.test(text);

// ---- markdown-it, as Web Chat 4.18.1 configures it; typographic replacements are off, since they change the text

const options = { html: true, linkify: true, typographer: false, xhtmlOut: true };
const page = new MarkdownIt(options);
const strict = new MarkdownIt({ ...options, linkify: false });
// Escapes stay apart from other text.
strict.core.ruler.disable('text_join');
const lenient = new MarkdownIt({ ...options, linkify: false });
lenient.core.ruler.disable('text_join');
// Which addresses are harmless is for the rewrite to say, not for the engine.
lenient.validateLink = () => true;

const nothing = new Proxy({}, { get: () => undefined, set: () => true });

function withoutMarkers(labels) {
  return new Proxy(labels, { get: (_, label) => (isMarker(String(label)) ? undefined : labels[label]) });
}

function readTokens(tokens, flow) {
  let open = null;
  // markdown-it can draw a link in a link.
  const outer = [];
  const text = content => (open ? (open.text += content) : flow.push(['t', content]));
  for (const token of tokens) {
    switch (token.type) {
      case 'inline':
        readTokens(token.children, flow);
        break;
      case 'text':
        text(token.content);
        break;
      case 'text_special':
        // A backslash before what needs none is text.
        text(token.content.length > 1 && token.content.startsWith('\\') ? token.content : kept(token.content));
        break;
      case 'softbreak':
        text('\n');
        break;
      case 'hardbreak':
        open ? text('\n') : flow.push(['br']);
        break;
      case 'code_inline':
        open ? text(token.content) : flow.push(['code', token.content]);
        break;
      case 'code_block':
      case 'fence':
        flow.push(['pre', token.content]);
        break;
      case 'html_block':
      case 'html_inline':
        open ? text(token.content) : flow.push(['html', token.content]);
        break;
      case 'image': {
        const inner = [];
        readTokens(token.children, inner);
        const alt = inner.map(([kind, content]) => (kind === '<' || kind === '>' ? '' : kind === 'br' ? '\n' : content)).join('');
        open ? text(alt) : flow.push(['img', plain(alt), token.attrGet('src') ?? '', token.attrGet('title') ?? '']);
        break;
      }
      case 'link_open':
        if (open) outer.push(open);
        open = { text: '', url: token.attrGet('href') ?? '', title: token.attrGet('title') ?? '' };
        break;
      case 'link_close':
        flow.push(['a', plain(open.text), open.url, open.title]);
        open = outer.pop() ?? null;
        break;
      case 'hr':
        flow.push(['<', 'hr']);
        break;
      default:
        // Emphasis inside a link is not told.
        if (!open && !/^t(head|body)_/.test(token.type)) flow.push([token.nesting > 0 ? '<' : '>', token.tag]);
    }
  }
  return flow;
}

function readByMarkdownIt(text, markers) {
  const labels = {};
  const env = { references: markers ? withoutMarkers(labels) : labels };
  const flow = readTokens((markers ? lenient : strict).parse(text, env), []);
  const definitions = Object.entries(labels).map(([label, { href, title }]) => [label, href, title ?? '']);
  const asPage = markers ? mayLinkOtherwise(text) : false;
  const drawn = asPage || mayDrawMore(text) || page.linkify.pretest(text) ? readTokens(page.parse(text, {}), []) : flow;
  return { flow, definitions, drawn: drawn.filter(isDrawn) };
}

// ---- mdast and micromark

function begin() {
  this.stack.at(-1).value += '\uFDD0';
}

function end() {
  this.stack.at(-1).children.at(-1).value += '\uFDD1';
}

const escapes = {
  enter: { characterEscapeValue: begin, characterReferenceValue: begin },
  exit: { characterEscape: end, characterReference: end }
};

// Definitions of markers stay out of the list of labels that are defined.
const withoutMarkerDefinitions = {
  contentInitial: {
    91: {
      name: 'withoutMarkerDefinitions',
      tokenize(_effects, _ok, nok) {
        const { defined } = this.parser;
        if (!defined.isFiltered) {
          const push = defined.push.bind(defined);
          Object.assign(defined, { isFiltered: true, push: (...labels) => push(...labels.filter(label => !isMarker(label))) });
        }
        return nok;
      }
    }
  }
};

function readNodes(nodes, definitions, flow) {
  for (const node of nodes) {
    switch (node.type) {
      case 'text':
        flow.push(['t', node.value]);
        break;
      case 'break':
        flow.push(['br']);
        break;
      case 'inlineCode':
        flow.push(['code', node.value]);
        break;
      case 'inlineMath':
      case 'math':
        flow.push(['code', node.value]);
        break;
      case 'code':
        flow.push(['pre', node.value]);
        break;
      case 'html':
        flow.push(['html', node.value]);
        break;
      case 'image':
        flow.push(['img', plain(node.alt ?? ''), plain(node.url), plain(node.title ?? '')]);
        break;
      case 'imageReference': {
        const { url, title } = definitions.get(node.identifier);
        flow.push(['img', plain(node.alt ?? ''), url, title]);
        break;
      }
      case 'link':
      case 'linkReference': {
        const target = node.type === 'link' ? node : definitions.get(node.identifier);
        const inner = readNodes(node.children, definitions, []);
        const text = inner.map(([kind, content]) => (kind === '<' || kind === '>' ? '' : kind === 'br' ? '\n' : content)).join('');
        flow.push(['a', plain(text), plain(target.url), plain(target.title ?? '')]);
        break;
      }
      case 'definition':
        break;
      case 'footnoteReference':
        flow.push(['t', `[^${node.identifier}]`]);
        break;
      case 'thematicBreak':
        flow.push(['<', 'hr']);
        break;
      default: {
        const name = tag(node);
        flow.push(['<', name]);
        readNodes(node.children, definitions, flow);
        flow.push(['>', name]);
      }
    }
  }
  return flow;
}

function tag(node) {
  switch (node.type) {
    case 'heading':
      return `h${node.depth}`;
    case 'list':
      return node.ordered ? 'ol' : 'ul';
    default:
      return { paragraph: 'p', emphasis: 'em', blockquote: 'blockquote', listItem: 'li', delete: 's', table: 'table', tableRow: 'tr', tableCell: 'td' }[node.type] ?? node.type;
  }
}

function allDefinitions(node, found = []) {
  if (node.type === 'definition') found.push(node);
  for (const child of node.children ?? []) allDefinitions(child, found);
  return found;
}

function readTree(text, { extensions, mdastExtensions }) {
  const root = fromMarkdown(text, { extensions, mdastExtensions: [...mdastExtensions, escapes] });
  const all = allDefinitions(root);
  const definitions = new Map();
  for (const { identifier, url, title } of all) {
    if (!definitions.has(identifier)) definitions.set(identifier, { url: plain(url), title: plain(title ?? '') });
  }
  return {
    flow: readNodes(root.children, definitions, []),
    definitions: all.map(({ label, url, title }) => [plain(label), plain(url), plain(title ?? '')])
  };
}

const bare = { extensions: [], mdastExtensions: [] };
const blocks = {
  extensions: [gfmTable(), gfmStrikethrough(), gfmFootnote()],
  mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown(), gfmFootnoteFromMarkdown()]
};
const everything = {
  extensions: [gfm(), math({ singleDollarTextMath: false })],
  // The page makes links of what micromark takes for bare addresses, and does not look for more.
  mdastExtensions: [...gfmFromMarkdown().map(extension => ({ ...extension, transforms: [] })), mathFromMarkdown()]
};

function readByMicromark(text, markers) {
  const read = ({ extensions, mdastExtensions }) =>
    readTree(text, { extensions: markers ? [...extensions, withoutMarkerDefinitions] : extensions, mdastExtensions });
  const mdast = read(bare);
  const gfm = mayHaveMoreBlocks(text) ? read(blocks) : mdast;
  const asPage = mayDrawMore(text) || (markers && mayLinkOtherwise(text));
  const drawn = asPage ? readTree(text, everything).flow : gfm.flow;
  return {
    mdast: { ...mdast, drawn: mdast.flow.filter(isDrawn) },
    'micromark-gfm': { ...gfm, drawn: drawn.filter(isDrawn) }
  };
}

function answerOrNothing(question) {
  try {
    return answer(question);
  } catch (error) {
    console.error(`${error} at ${JSON.stringify(question.text)}`);
    return null;
  }
}

function answer({ text, markers }) {
  const engines = { 'markdown-it': readByMarkdownIt(text, markers), ...readByMicromark(text, markers) };
  const { flow } = engines['markdown-it'];
  const links = markers && mayLinkOtherwise(text) ? readTokens(strict.parse(text, {}), []) : flow;
  const isDefining = markers && text.includes(']:');
  const withoutDefinitions = isDefining ? readTokens(lenient.parse(text, { references: nothing }), []) : flow;
  return { engines, links: links.filter(isLink), links_without_definitions: withoutDefinitions.filter(isLink) };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(`${JSON.stringify(JSON.parse(line).map(answerOrNothing))}\n`);
}
