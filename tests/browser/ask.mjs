// Opens the page of a running citewire, asks a question, and waits for an answer whose badge opens its source.
//
//     node ask.mjs URL QUESTION [PICTURE]

import { startBrowser } from './processes.mjs';

const [url, question, picture] = process.argv.slice(2);
const browser = await startBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-US' });
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  await page.getByText('Connected', { exact: true }).waitFor();
  const box = page.getByRole('textbox', { name: 'Message input box' });
  await box.fill(question);
  await box.press('Enter');
  const badge = page.locator('.webchat__render-markdown__pure-identifier').first();
  await badge.waitFor();
  await badge.click();
  const source = page.locator('dialog[open]');
  await source.waitFor();
  const text = (await source.innerText()).trim();
  if (text.length < 40) throw new Error(`the source is no passage: ${text}`);
  if (picture) await page.screenshot({ path: picture });
  console.log(text.split('\n')[0]);
} finally {
  await browser.close();
}
