// Draws the pictures for the documentation from the running page: `node screenshot.mjs FOLDER`.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { RELEASE, Visit, startBrowser, startService } from './harness.mjs';
import { API_KEY } from './processes.mjs';

const LIMIT_BYTES = 300_000;
const SMALL_BYTES = 100_000;
const WIDE = { viewport: { width: 1280, height: 860 } };
const PICTURES = {
  'page-light': { ...WIDE, colorScheme: 'light' },
  'page-dark': { ...WIDE, colorScheme: 'dark' },
  playground: { ...WIDE, colorScheme: 'light', form: 'Teams' },
  'page-phone': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1.5 },
};

/** Markers that stay text for several reasons. */
const LEFT_ALONE = {
  text: 'Leave is **30 days** a year [1][2]. The rest [9] is unknown.\n\n- carry over five of them [2]\n\n| what | until |\n|---|---|\n| carrying over [2] | March |',
  sources: [
    { title: 'Leave policy', url: 'https://hr.contoso.example/leave', content: 'Employees have 30 days of leave a year.' },
    { title: 'Carrying over leave', content: 'Five days can be carried over, until the end of March.' },
  ],
};

const HANDBOOK = {
  text: 'You get **30 days** of leave a year [1]. Up to five of them can be carried over, until the end of March [2].',
  sources: [
    { title: 'Leave policy', url: 'https://hr.contoso.example/leave' },
    { title: 'Carrying over leave', url: 'https://hr.contoso.example/carry-over' },
  ],
};

const folder = process.argv[2];
assert.ok(folder, 'name the folder for the pictures');
await mkdir(folder, { recursive: true });

const service = await startService(RELEASE);
const browser = await startBrowser();
try {
  for (const [name, { form, ...options }] of Object.entries(PICTURES)) {
    // Without movement, each picture is of something that has come to rest.
    const visit = await Visit.begin(browser, service, { ...options, reducedMotion: 'reduce' });
    await visit.open();
    const { page } = visit;
    if (form) await page.getByRole('textbox', { name: 'Read it, edit it, or paste your own' }).fill(JSON.stringify(LEFT_ALONE, null, 2));
    await page.getByRole('button', { name: 'Send into the chat' }).click();
    await visit.messages().nth(0).waitFor();
    // Web Chat says so for a moment longer than it connects.
    await page.getByText('Connecting…').filter({ visible: true }).first().waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: form ? 'Explained' : 'Report' }).click();
    await page.evaluate((isBelow) => {
      document.activeElement.blur();
      scrollTo(0, 0);
      document.querySelector('.panel').scrollTop = isBelow ? 5_000 : 0;
    }, form !== undefined);
    // The transcript scrolls to the newest message by itself.
    await page.waitForFunction(() => {
      const box = document.querySelector('#chat-host [role=feed]').parentElement;
      return box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
    });
    if (form) await page.getByRole('tab', { name: form, exact: true }).click();
    const file = join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    const { size } = await stat(file);
    assert.ok(size < LIMIT_BYTES, `${file} has ${size} bytes`);
    console.log(`${file}: ${size} bytes`);
    await visit.context.close();
  }
} finally {
  await browser.close();
  await service.stop();
}

await drawEmbedded();
await drawSettings();

/** The settings page with an assistant that was asked something. */
async function drawSettings() {
  const service = await startService(RELEASE);
  const browser = await startBrowser();
  const put = (path, body) => fetch(`${service.url}/v1/assistants/${path}`, { method: 'PUT', headers: { authorization: `Bearer ${API_KEY}` }, body });
  try {
    await put('handbook', '{"documents": {}, "greeting": "Hello! Ask me about leave."}');
    await put('handbook/documents/leave.md', '# Leave policy\n\nEmployees get **30 days** of annual leave. Unused leave expires after one year.\n');
    const context = await browser.newContext({ viewport: { width: 1060, height: 780 }, reducedMotion: 'reduce', locale: 'en-US' });
    const page = await context.newPage();
    await page.goto(`${service.url}/admin#/assistants/handbook`);
    await page.getByRole('textbox', { name: 'API key' }).fill(API_KEY);
    await page.getByRole('button', { name: 'Continue' }).click();
    const box = page.getByRole('textbox', { name: 'Message input box' });
    await box.fill('How many days of annual leave are there?');
    await box.press('Enter');
    await page.locator('.webchat__link-definitions').waitFor();
    await page.getByText('Connecting…').filter({ visible: true }).first().waitFor({ state: 'detached' });
    await page.evaluate(() => {
      document.activeElement.blur();
      scrollTo(0, 0);
    });
    await save(page, 'admin');
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** The chat in a page of another site: closed and open beside each other, and on a phone. */
async function drawEmbedded() {
  const page = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><style>
    body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #22303a; background: #fff }
    header { padding: 14px 28px; background: #f1f4f6; font-weight: 700 } main { padding: 8px 28px; max-width: 22em }
    </style></head><body><header>Contoso</header><main><h1>Working at Contoso</h1><p>Everything about your first weeks, your
    equipment and your leave is in the handbook.</p><p>Ask it by the button at the bottom.</p></main>SCRIPT</body></html>`;
  let script = '';
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page.replace('SCRIPT', script));
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${site.address().port}`;
  const service = await startService(RELEASE, {
    CITEWIRE_EMBED_ORIGINS: origin,
    CITEWIRE_EMBED_ANONYMOUS: 'true',
  });
  script = `<script src="${service.url}/embed.js" data-title="Ask the handbook" data-color="#0b5f6e"></script>`;
  const browser = await startBrowser();
  try {
    const open = async (options) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US', ...options });
      const page = await context.newPage();
      await page.goto(origin);
      return page;
    };
    const chat = async (page) => {
      const opening = page.waitForResponse((response) => response.url().endsWith('/embed/session') && response.ok());
      await page.getByRole('button', { name: 'Open the chat' }).click();
      const { conversationId } = await (await opening).json();
      const frame = page.getByRole('dialog').frameLocator('iframe');
      const box = frame.getByRole('textbox', { name: 'Message input box' });
      await box.fill('How many days of leave do I get?');
      await box.press('Enter');
      await frame.getByRole('feed').getByText('Just now').waitFor();
      const answer = await fetch(`${service.url}/v1/conversations/${conversationId}/answers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ answer: HANDBOOK }),
      });
      assert.equal(answer.status, 201, await answer.text());
      await frame.locator('.webchat__link-definitions').waitFor();
      await frame.getByText('Connecting…').filter({ visible: true }).first().waitFor({ state: 'detached' });
      await frame.locator('body').evaluate(async (body) => {
        const list = body.querySelector('[role=feed]').parentElement;
        while (list.scrollTop + list.clientHeight < list.scrollHeight - 2) await new Promise(requestAnimationFrame);
      });
    };
    const wide = await open({ viewport: { width: 860, height: 640 } });
    await chat(wide);
    await save(wide, 'embed');
    const phone = await open({ viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await chat(phone);
    await save(phone, 'embed-phone');
    if (process.argv[3] === '--all') {
      await save(await open({ viewport: { width: 860, height: 640 } }), 'embed-closed');
      const dark = await open({ viewport: { width: 860, height: 640 }, colorScheme: 'dark' });
      await chat(dark);
      await save(dark, 'embed-dark');
    }
  } finally {
    await browser.close();
    await service.stop();
    site.close();
  }
}

async function save(page, name) {
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  const { size } = await stat(file);
  assert.ok(size < SMALL_BYTES, `${file} has ${size} bytes`);
  console.log(`${file}: ${size} bytes`);
}
