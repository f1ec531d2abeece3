// Sentences of Debian's documentation: the address of a badge marks the cited sentence on its page, and nothing else.
// CITEWIRE_TEST_SIZE is how many hundredths of the 300 sentences of 60 pages there are.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { Assistants } from '../documents.mjs';
import { fromEnvironment, startBrowser, startService } from '../processes.mjs';
import { STYLE, knowBlocks, marked, verdict } from './marks.mjs';
import { pages } from './paragraphs.mjs';

const SHARE = Number(process.env.CITEWIRE_TEST_SIZE ?? 10) / 100;
const PAGES = Math.ceil(60 * SHARE);
const EACH = 5;
const FOLDER = fromEnvironment('CITEWIRE_DOCUMENTATION');
/** Where pictures go of what is not marked as it should be. */
const PICTURES = process.env.CITEWIRE_PICTURES;
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.png': 'image/png', '.svg': 'image/svg+xml' };

let browser;
let service;
let assistants;
let site;
before(async () => {
  [browser, service] = await Promise.all([startBrowser(), startService({})]);
  assistants = new Assistants(service);
  site = createServer(async ({ url }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://site').pathname);
    try {
      const content = await readFile(join(FOLDER, path));
      response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
      response.end(extname(path) === '.html' ? content + STYLE : content);
    } catch {
      response.writeHead(404).end();
    }
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
});
after(async () => {
  site?.close();
  await browser?.close();
  await service?.stop();
});

/** Sentences of prose of a page, from all of its parts, each with the text around it as a search would give it. */
function sentences(count) {
  const fold = (text) => text.replace(/\s+/g, ' ').trim();
  const blocks = window.blocks();
  const found = [];
  for (const [at, block] of blocks.entries()) {
    if (block.matches('pre, h1, h2, h3, h4, h5, h6, th, dt')) continue;
    // A line that ends in the file ends no sentence.
    for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(block.textContent.replace(/\s/g, ' '))) {
      const text = fold(segment);
      const isProse = text.length > 40 && text.length < 300 && text.split(' ').length > 6 && /^\p{Lu}/u.test(text) && /[.!?]$/.test(text);
      if (!isProse) continue;
      const start = index + segment.length - segment.trimStart().length;
      const around = blocks.slice(Math.max(at - 2, 0), at + 3).map((near) => fold(near.textContent));
      found.push({ at, start, end: index + segment.trimEnd().length, text, passage: around.join('\n\n') });
    }
  }
  return Array.from({ length: Math.min(count, found.length) }, (_, n) => found[Math.floor(((n + 0.5) * found.length) / Math.min(count, found.length))]);
}

/** The address to which the badge of a cited sentence leads. */
async function address(url, { text, passage }) {
  const cited = text.replace(/[\\`*_[\]<>#|~^$&]/g, '\\$&');
  const activities = await assistants.convert({ text: `${cited} [1]`, sources: [{ url, title: 'Page', content: passage }] });
  return activities[0].entities[0].citation[0].appearance.url;
}

test('a badge leads to the cited sentence on a page of Debian\'s documentation', { timeout: 1_200_000 }, async (context) => {
  const counts = { exact: 0, nothing: 0, elsewhere: 0 };
  const others = [];
  const eye = await browser.newPage();
  let seen = 0;
  for (const path of await pages(FOLDER)) {
    if (seen === PAGES) break;
    const url = `http://127.0.0.1:${site.address().port}/${path}`;
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    await page.addInitScript(knowBlocks);
    await page.goto(url);
    const cited = await page.evaluate(sentences, EACH);
    if (cited.length < EACH) {
      await page.close();
      continue;
    }
    seen += 1;
    for (const sentence of cited) {
      const target = await address(url, sentence);
      await page.goto('about:blank');
      await page.goto(target);
      const boxes = () => page.evaluate(({ at, start, end }) => window.boxes(at, start, end), sentence);
      const how = verdict(await marked(eye, page, boxes));
      counts[how] += 1;
      if (how !== 'exact') {
        others.push(`${how}: ${sentence.text}\n  ${target}`);
        if (PICTURES) await writeFile(join(PICTURES, `page-${others.length}.png`), await page.screenshot());
      } else if (PICTURES && counts.exact % 60 === 1) {
        await writeFile(join(PICTURES, `page-exact-${counts.exact}.png`), await page.screenshot());
      }
    }
    await page.close();
  }
  context.diagnostic(`${PAGES * EACH} sentences of ${seen} pages: ${JSON.stringify(counts)}`);
  assert.deepEqual(others, []);
  assert.equal(seen, PAGES);
});
