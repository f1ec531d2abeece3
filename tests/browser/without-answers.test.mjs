// The page of a server that takes no answers from visitors: a conversation and nothing else.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { RELEASE, startBrowser, startService, visiting } from './harness.mjs';

let browser;
let service;
before(async () => {
  service = await startService(RELEASE, { CITEWIRE_PAGE_ANSWERS: 'false' });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});
const around = () => ({ browser, service });

const talks = async (visit) => {
  const { page } = visit;
  assert.equal(await page.getByRole('button', { name: 'Send into the chat' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Skip to the answers' }).count(), 0);
  const box = page.getByRole('textbox', { name: 'Message input box' });
  await box.fill('Is anybody there?');
  await box.press('Enter');
  await visit.message('Is anybody there?').waitFor();
};

visiting(around, 'visitors talk, and find no place for answers of their own', {}, talks);

visiting(
  around,
  'on a phone the conversation fills the screen',
  { viewport: { width: 390, height: 844 } },
  async (visit) => {
    await talks(visit);
    const bottom = await visit.page.locator('.chat').evaluate((chat) => chat.getBoundingClientRect().bottom);
    const { height } = visit.page.viewportSize();
    assert.ok(bottom <= height && bottom > height - 40, `the conversation ends at ${bottom} of ${height}`);
  },
);
