// The button that stops an answer, in the page and in the embedded chat.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import { BackEnd } from './back-end.mjs';
import { RELEASE, inEachVersion, startBrowser, startService, visiting } from './harness.mjs';

const STOPPED = 'The answer was stopped.';

let backEnd;
before(async () => {
  backEnd = new BackEnd();
  await backEnd.start();
});
after(() => backEnd?.stop());

const environment = () => ({
  CITEWIRE_ASSISTANT: 'helper',
  CITEWIRE_ASSISTANTS: JSON.stringify({ helper: { upstream: { kind: 'http', url: backEnd.url } } }),
});

/** Asks, and waits until the beginning of the answer is read. */
async function ask(box, read) {
  const asked = backEnd.asked();
  await box.fill('How long is leave?');
  await box.press('Enter');
  const answer = await asked;
  answer.send({ delta: 'Leave is thirty days a year, and ' });
  await read('Leave is thirty days').waitFor();
  return answer;
}

/** For who looks at it: `CITEWIRE_PICTURES` names a folder. */
async function picture({ page }, name) {
  const folder = process.env.CITEWIRE_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

const LOOKS = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

inEachVersion(
  'stopping an answer in the page',
  (around, version) => {
    for (const [look, options] of Object.entries(LOOKS)) {
      visiting(around, `by the keyboard, ${look}`, options, async (visit) => {
        const { page } = visit;
        const stop = page.getByRole('button', { name: 'Stop the answer' });
        assert.equal(await stop.count(), 0);
        const box = page.getByRole('textbox', { name: 'Message input box' });
        await ask(box, (text) => visit.message(text));
        await stop.waitFor();
        await picture(visit, `page-${look}-${version.name}`);
        await stop.focus();
        await page.keyboard.press('Enter');
        await visit.message(STOPPED).waitFor();
        await stop.waitFor({ state: 'hidden' });
        assert.equal(await visit.message('Leave is thirty days').count(), 1, 'what was written stays');
        assert.equal(await box.evaluate((element) => element === document.activeElement), true, 'the focus is not lost');
        // The next answer has the button again, and none when it has ended.
        const answer = await ask(box, (text) => visit.message(text).nth(1));
        await stop.waitFor();
        answer.send({ delta: 'that is all.' });
        answer.end();
        await visit.message('that is all').waitFor();
        await stop.waitFor({ state: 'hidden' });
      });
    }
  },
  environment,
);

const site = createServer((_, response) => response.end());
let service;
let browser;
before(async () => {
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${site.address().port}`;
  service = await startService(RELEASE, { ...environment(), CITEWIRE_EMBED_ORIGINS: origin, CITEWIRE_EMBED_ANONYMOUS: 'true', CITEWIRE_PAGE: 'false' });
  browser = await startBrowser();
  site.removeAllListeners('request');
  site.on('request', ({ url }, response) => {
    response.writeHead(url === '/favicon.ico' ? 204 : 200, { 'content-type': 'text/html; charset=utf-8' });
    const direction = url === '/rtl' ? 'rtl' : 'ltr';
    response.end(`<!doctype html><html lang="en" dir="${direction}"><body><h1>Contoso</h1><script src="${service.url}/embed.js"></script></body></html>`);
  });
});
after(async () => {
  await browser?.close();
  await service?.stop();
  site.closeAllConnections();
  site.close();
});

for (const [look, options] of Object.entries({ ...LOOKS, rtl: {} })) {
  visiting(() => ({ browser, service }), `stopping an answer in the embedded chat, ${look}`, { ...options, opened: false }, async (visit) => {
    const { page } = visit;
    const host = `127.0.0.1:${site.address().port}`;
    visit.hosts.add(host);
    await page.goto(`http://${host}/${look}`);
    await page.getByRole('button', { name: 'Open the chat' }).click();
    const panel = page.getByRole('dialog', { name: 'Chat' });
    const inside = panel.frameLocator('iframe');
    const read = (text) => inside.getByRole('feed').locator('> article').filter({ hasText: text });
    const stop = panel.getByRole('button', { name: 'Stop the answer' });
    await ask(inside.getByRole('textbox', { name: 'Message input box' }), read);
    await stop.waitFor();
    await picture(visit, `embed-${look}`);
    await stop.focus();
    await page.keyboard.press('Space');
    await read(STOPPED).waitFor();
    await stop.waitFor({ state: 'hidden' });
    assert.equal(await read('Leave is thirty days').count(), 1, 'what was written stays');
  });
}
