// Draws the pictures for the documentation from the running page: `node screenshot.mjs FOLDER`.

import assert from 'node:assert/strict';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RELEASE, Visit, startBrowser, startService } from './harness.mjs';

const LIMIT_BYTES = 300_000;
const WIDE = { viewport: { width: 1280, height: 860 } };
const PICTURES = {
  'page-light': { ...WIDE, colorScheme: 'light' },
  'page-dark': { ...WIDE, colorScheme: 'dark' },
  'page-phone': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1.5 },
};

const folder = process.argv[2];
assert.ok(folder, 'name the folder for the pictures');
await mkdir(folder, { recursive: true });

const service = await startService(RELEASE);
const browser = await startBrowser();
try {
  for (const [name, options] of Object.entries(PICTURES)) {
    // Without movement, each picture is of something that has come to rest.
    const visit = await Visit.begin(browser, service, { ...options, reducedMotion: 'reduce' });
    await visit.open();
    const { page } = visit;
    await page.getByRole('button', { name: 'Send into the chat' }).click();
    await visit.messages().nth(0).waitFor();
    // Web Chat says so for a moment longer than it connects.
    await page.getByText('Connecting…').filter({ visible: true }).first().waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Report' }).click();
    await page.evaluate(() => {
      document.activeElement.blur();
      scrollTo(0, 0);
      document.querySelector('.panel').scrollTop = 0;
    });
    // The transcript scrolls to the newest message by itself.
    await page.waitForFunction(() => {
      const box = document.querySelector('#chat-host [role=feed]').parentElement;
      return box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
    });
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
