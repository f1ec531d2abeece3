// Badges of documents of eight kinds: the reader page, or the browser's viewer of PDFs, marks the cited sentence and no other word.
// CITEWIRE_TEST_SIZE is how many hundredths of the 200 badges of 40 documents there are.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Assistants, claims } from '../documents.mjs';
import { docx, epub, pdf, pptx, xlsx } from '../office.mjs';
import { fromEnvironment, startBrowser, startService, startWholeBrowser } from '../processes.mjs';
import { Model } from './model.mjs';
import { lines, paragraphs, sentenceOf } from './paragraphs.mjs';
import { markedLines } from './pdf-marks.mjs';

const SHARE = Number(process.env.CITEWIRE_TEST_SIZE ?? 10) / 100;
/** The documents of each kind, the paragraphs of a document, and its badges. */
const EACH = Math.ceil(5 * SHARE);
const PARAGRAPHS = 24;
const BADGES = Math.ceil(5 * Math.min(1, SHARE * 4));
const FOLDER = fromEnvironment('CITEWIRE_DOCUMENTATION');
/** Where pictures go of what is not marked as it should be, and of one badge of each document. */
const PICTURES = process.env.CITEWIRE_PICTURES;
const SCREENS = [{ viewport: { width: 900, height: 700 } }, { viewport: { width: 360, height: 740 }, isMobile: true, colorScheme: 'dark' }];

const xml = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const cell = (text) => `"${text.replace(/"/g, '""')}"`;
const escaped = (text) => text.replace(/[\\`*_[\]<>#|~^$&]/g, '\\$&');
const numbered = (texts) => [['Number', 'Text'], ...texts.map((text, at) => [`${at + 1}`, text])];

/** How paragraphs become a document of each kind. */
const KINDS = {
  md: (texts) => `# Notes\n\n${texts.map((text, at) => (at % 8 ? '' : `## Part ${at / 8 + 1}\n\n`) + escaped(text)).join('\n\n')}\n`,
  txt: (texts) => `${texts.join('\n\n')}\n`,
  csv: (texts) => numbered(texts.map(cell)).map((row) => row.join(',')).join('\n'),
  docx: (texts) => docx(texts.map(xml)),
  pptx: (texts) => pptx(texts.map(xml)),
  xlsx: (texts) => xlsx(numbered(texts.map(xml))),
  epub: (texts) => epub('Notes', texts.map(xml)),
  pdf: (texts) => pdf(inPages(texts)),
};

/** The pages of a PDF, of three paragraphs each. */
function inPages(texts) {
  return Array.from({ length: Math.ceil(texts.length / 3) }, (_, at) => texts.slice(3 * at, 3 * at + 3).flatMap((text) => [...lines(text), '']));
}

/** Less than the shortest word takes on a line of a PDF, in points. */
const LEAST_WORD = 7;

/** How a model says a sentence: word for word or with fewer words, alone or among other words. */
const SAYINGS = [
  (sentence) => `${escaped(sentence)} [n]`,
  (sentence) => `${escaped(sentence.split(' ').filter((_, at) => at % 6 !== 4).join(' '))} [n]`,
  (sentence) => `The notes say this:\n\n- ${escaped(sentence)} [n]\n- More is not known.`,
  (sentence) => `There is more to it. **${escaped(sentence)}** [n] Ask again, if you like.`,
  (sentence) => `${escaped(sentence.replace(/\.$/, ''))} [n]. Everything else is left to the reader.`,
];

let browser;
let whole;
let service;
let assistants;
const model = new Model();
before(async () => {
  await model.start();
  const environment = { CITEWIRE_EGRESS_ALLOW_HOSTS: new URL(model.url).host };
  [browser, whole, service] = await Promise.all([startBrowser(), startWholeBrowser(), startService({}, environment)]);
  assistants = new Assistants(service);
});
after(async () => {
  await browser?.close();
  await whole?.close();
  await service?.stop();
  model.stop();
});

const fold = (text) => text.replace(/\s+/g, ' ').trim();

/** What is wrong with the marks of a reader page; nothing if all is well. */
async function faultOfReader(page, address, sentence) {
  const response = await page.goto(address);
  if (response.status() !== 200) return `status ${response.status()}`;
  const marks = page.locator('mark');
  const marked = fold((await marks.allInnerTexts()).join(''));
  if (marked !== sentence) return `marked is: ${marked}`;
  const boxes = await marks.evaluateAll((all) => all.flatMap((mark) => [...mark.getClientRects()].map(({ top, bottom }) => [top, bottom])));
  const height = page.viewportSize().height;
  return boxes.every(([top, bottom]) => top >= 0 && bottom <= height) ? '' : `out of sight: ${JSON.stringify(boxes)}`;
}

/** What is wrong with the marks of a PDF in the browser's viewer. */
async function faultOfPdf(page, eye, address, sentence, paragraph) {
  await page.goto('about:blank');
  await page.goto(address);
  const { expected, marked } = await markedLines(page, eye, sentence, lines(paragraph));
  const isSame = marked.length === expected.length && marked.every((ends, at) => ends.every((end, side) => Math.abs(end - expected[at][side]) < LEAST_WORD));
  return isSame ? '' : `marked lines are ${JSON.stringify(marked)}, not ${JSON.stringify(expected)}`;
}

test('a badge of a document leads to the cited sentence', { timeout: 1_200_000 }, async (context) => {
  const kinds = Object.keys(KINDS);
  const texts = await paragraphs(FOLDER);
  const screens = await Promise.all(SCREENS.map(async (screen) => (await browser.newContext(screen)).newPage()));
  const viewer = await whole.newPage({ viewport: { width: 1000, height: 1300 } });
  const eye = await browser.newPage();
  const origins = new Set();
  // The viewer of PDFs is a part of the browser.
  const ofBrowser = /^(chrome|chrome-extension|data|blob):/;
  for (const page of [...screens, viewer]) page.on('request', (asked) => ofBrowser.test(asked.url()) || origins.add(new URL(asked.url()).origin));
  const counts = {};
  const faults = [];
  for (let document = 0; document < EACH * kinds.length; document += 1) {
    const kind = kinds[document % kinds.length];
    const name = `${kind}${document}`;
    const own = texts.splice(0, PARAGRAPHS);
    assert.equal(own.length, PARAGRAPHS, 'there is more documentation');
    await assistants.create(name, `notes.${kind}`, KINDS[kind](own), model.settings);
    for (let badge = 0; badge < BADGES; badge += 1) {
      const paragraph = own[Math.floor(((badge + 0.5) * PARAGRAPHS) / BADGES)];
      const sentence = sentenceOf(paragraph, document + badge);
      model.says(sentence, SAYINGS[(badge + Math.floor(document / kinds.length)) % SAYINGS.length](sentence));
      const message = await assistants.ask(name, sentence);
      const address = claims(message)[0]?.appearance.url;
      const screen = kind === 'pdf' ? viewer : screens[badge % screens.length];
      let fault = `no badge: ${message.text}`;
      if (address) {
        assert.ok(message.text.includes(`]: ${address} `), message.text);
        const here = assistants.here(address);
        fault = kind === 'pdf' ? await faultOfPdf(screen, eye, here, sentence, paragraph) : await faultOfReader(screen, here, sentence);
      }
      counts[kind] ??= { right: 0, wrong: 0 };
      counts[kind][fault ? 'wrong' : 'right'] += 1;
      if (fault) faults.push(`${name}, badge ${badge}: ${fault}\n  ${sentence}\n  ${address}`);
      if (PICTURES && (fault || badge === Math.floor(document / kinds.length))) {
        await writeFile(join(PICTURES, `badge-${name}-${badge}${fault && '-wrong'}.png`), await screen.screenshot());
      }
    }
  }
  context.diagnostic(`${EACH * kinds.length * BADGES} badges of ${EACH * kinds.length} documents: ${JSON.stringify(counts)}`);
  assert.deepEqual(faults, []);
  assert.deepEqual([...origins], [service.url]);
});
