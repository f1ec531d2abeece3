// A badge leads to the sentence: on the reader page of documents of ours, and by a text fragment on pages of the web.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { Assistants, claims } from './documents.mjs';
import { RELEASE, startBrowser, startService } from './harness.mjs';
import { docx, epub, xlsx } from './office.mjs';
import { pictureOf } from './picture.mjs';

const LIMIT_MS = 90_000;
const FILLER = Array.from({ length: 40 }, (_, at) => `Chapter ${at + 1} speaks of other things that nobody asks about here.`);

/** The documents, each with a question and the words that the answer quotes. */
const DOCUMENTS = {
  'leave.md': {
    content: `# Leave\n\n${FILLER.join('\n\n')}\n\n## Annual leave\n\nBefore it. Employees get **30 days** of annual leave & more.\n\n- one\n- two\n`,
    question: 'How many days of annual leave do employees get?',
    words: 'Employees get 30 days of annual leave & more.',
  },
  'canteen.txt': {
    content: `${FILLER.join('\n\n')}\n\nGuests <b>pay</b> there.\n\nThe canteen opens at noon.\n`,
    question: 'When does the canteen open?',
    words: 'The canteen opens at noon.',
  },
  'parking.docx': {
    content: docx([...FILLER, 'Bicycles stand elsewhere.', 'Parking in the garage is free for visitors.']),
    question: 'Is parking in the garage free for visitors?',
    words: 'Parking in the garage is free for visitors.',
  },
  'library.epub': {
    content: epub('Library', [...FILLER, 'Borrowed books return after three weeks.']),
    question: 'When do borrowed books return?',
    words: 'Borrowed books return after three weeks.',
  },
  'offices.xlsx': {
    content: xlsx([['City', 'Telephone'], ['Leipzig', '0341 555'], ['Bremen', '0421 777']]),
    question: 'Which telephone has the city of Leipzig?',
    words: '0341 555',
  },
  'hebrew.md': {
    content: '# חופשה\n\nלפני כן. העובדים מקבלים שלושים ימי חופשה בשנה.\n',
    question: 'כמה ימי חופשה מקבלים העובדים?',
    words: 'העובדים מקבלים שלושים ימי חופשה בשנה.',
  },
};

let browser;
let service;
let assistants;
before(async () => {
  service = await startService(RELEASE);
  assistants = new Assistants(service);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

test('pressing a badge marks the cited words of a document', { timeout: LIMIT_MS * 2 }, async (context) => {
  for (const [file, { content, question, words }] of Object.entries(DOCUMENTS)) {
    await context.test(file, async () => {
      const name = file.split('.')[0];
      await assistants.create(name, file, content);
      const [claim] = claims(await assistants.ask(name, question));
      assert.match(claim.appearance.url, /\/passage\?place=\d+&.*#passage$/);
      const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url()).origin));
      const complaints = [];
      // The page may run no script: now and then its sandbox refuses one of the driver's own.
      const ofDriver = (text) => text.startsWith('Blocked script execution in');
      page.on('console', (message) => ofDriver(message.text()) || complaints.push(message.text()));
      const response = await page.goto(assistants.here(claim.appearance.url));
      assert.equal(response.status(), 200);
      assert.equal(await page.locator('script, [onclick], [onload], [onerror]').count(), 0);
      const mark = page.locator('mark');
      assert.ok((await mark.allInnerTexts()).join(' ').includes(words), await mark.allInnerTexts());
      const box = await page.locator('mark#passage').boundingBox();
      assert.ok(box.y >= 0 && box.y < 600, `the mark is in sight: ${box.y}`);
      assert.deepEqual([...new Set(asked)], [new URL(service.url).origin]);
      assert.deepEqual(complaints, []);
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Open the file' }).click();
      assert.equal((await download).suggestedFilename(), file);
      await page.close();
    });
  }
});

test('a text fragment marks the cited sentence on a page of the web, and no other', { timeout: LIMIT_MS }, async () => {
  const sentences = [
    'Nothing is said here about it.',
    'Leave - paid, of course - is 30 days a year (for all, 24/7).',
    'Employees of the company who have worked here for more than five years, and those who came from one of its other companies before, have 35 days of leave.',
    'And nothing here.',
  ];
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const spans = sentences.map((text, at) => `<span id="s${at}">${text}</span>`).join(' ');
    response.end(`<!doctype html><title>Leave</title><style>::target-text { background: rgb(255, 0, 255); color: rgb(0, 0, 0) }</style>
      <div style="height: 3000px">Above</div><p>${spans}</p><div style="height: 3000px">Below</div>`);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  try {
    const url = `http://127.0.0.1:${site.address().port}/leave`;
    const cited = { 1: 'Leave is paid for 30 days a year', 2: 'Employees who have worked here for more than five years have 35 days of leave' };
    for (const [at, claim] of Object.entries(cited)) {
      const answer = { text: `${claim} [1].`, sources: [{ url, title: 'Leave', content: sentences.join(' ') }] };
      const activities = await assistants.convert(answer);
      const address = activities[0].entities[0].citation[0].appearance.url;
      assert.ok(address.startsWith(`${url}#:~:text=`), address);
      assert.ok(activities[0].text.includes(`]: ${address} `), activities[0].text);
      const page = await browser.newPage();
      await page.goto(address);
      await page.waitForFunction(() => scrollY > 1000);
      for (const [other] of sentences.entries()) {
        const picture = await pictureOf(page.locator(`#s${other}`));
        assert.equal(await isMarked(picture), other === Number(at), `sentence ${other} of ${address}`);
      }
      await page.close();
    }
  } finally {
    site.close();
  }
});

/** Whether most lines of a picture have the color of the mark. */
async function isMarked(picture) {
  const page = await browser.newPage();
  const share = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { data: pixels } = canvas.getImageData(0, 0, image.width, image.height);
    let marked = 0;
    for (let at = 0; at < pixels.length; at += 4) if (pixels[at] > 200 && pixels[at + 1] < 60 && pixels[at + 2] > 200) marked += 1;
    return marked / (pixels.length / 4);
  }, picture.toString('base64'));
  await page.close();
  return share > 0.2;
}
