// Pages of documentation, their paragraphs and sentences.

import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&nbsp;': ' ' };

/** The characters of a line of a PDF. */
const LINE = 90;

/** The pages of a folder, in an order that takes some of each of its packages. */
export async function pages(folder) {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const isPage = (file) => file.isFile() && /\.html$/.test(file.name) && !/(index|search)\.html$/.test(file.name);
  const paths = all.filter(isPage).map((file) => relative(folder, join(file.parentPath, file.name)));
  const key = (path) => [...path].reduce((hash, letter) => (Math.imul(hash, 31) + letter.codePointAt(0)) >>> 0, 7);
  return paths.sort((one, other) => key(one) - key(other));
}

/** The paragraphs of all pages that have several sentences, one of which is prose, each once. */
export async function paragraphs(folder) {
  const found = new Set();
  for (const path of await pages(folder)) {
    for (const [, html] of (await readFile(join(folder, path), 'utf8')).matchAll(/<p\b[^>]*>([^]*?)<\/p>/gi)) {
      const text = html
        .replace(/<[^>]*>/g, '')
        .replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity)
        .replace(/\s+/g, ' ')
        .trim();
      const isPlain = /^[\x20-\x7e]{100,900}$/.test(text);
      if (isPlain && sentences(text).length > 1 && prose(text).length > 0) found.add(text);
    }
  }
  return [...found];
}

function sentences(paragraph) {
  return [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(paragraph)].map(({ segment }) => segment.trim());
}

/** The sentences that stand for themselves, whatever a language takes for the end of one. Those with signs of Markdown, if any. */
function prose(paragraph) {
  const isProse = (text) => /^[A-Z].{50,260}[a-z)]\.$/.test(text) && !/\.\s/.test(text) && text.split(' ').length > 8;
  const isWhole = (text) => `${paragraph} `.includes(`${text} `);
  const found = sentences(paragraph).filter((text) => isProse(text) && isWhole(text));
  const hasSigns = (text) => /[\\`*_<>$&~|[\]]/.test(text);
  return found.some(hasSigns) ? found.filter(hasSigns) : found;
}

/** One of the sentences of a paragraph. */
export function sentenceOf(paragraph, number) {
  const found = prose(paragraph);
  return found[number % found.length];
}

/** The lines of a paragraph in a PDF. */
export function lines(text) {
  const found = [''];
  for (const word of text.split(' ')) {
    if (found.at(-1).length + word.length >= LINE) found.push('');
    found.push(`${found.pop()} ${word}`.trim());
  }
  return found;
}
