// A bot of the Agents SDK behind the channel, and its user in Web Chat, in both versions.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { badgeTexts, badges, entries, inEachVersion, visiting } from './harness.mjs';

let bot;
let port;
before(async () => {
  bot = spawn('node', ['bot.mjs'], { cwd: new URL('../bot/', import.meta.url), stdio: ['pipe', 'pipe', 'inherit'] });
  [port] = await once(createInterface({ input: bot.stdout }), 'line');
});
after(async () => {
  if (!bot) return;
  const gone = once(bot, 'exit');
  bot.stdin.end();
  await gone;
});

const environment = () => ({
  CITEWIRE_BOT_ENDPOINT: `http://127.0.0.1:${port}/api/messages`,
  CITEWIRE_BOT_CITE: 'true',
});

async function type(visit, text) {
  const box = visit.page.getByRole('textbox', { name: 'Message input box' });
  await box.fill(text);
  await box.press('Enter');
}

/** What each message says to a reader, without the lines that Web Chat adds. */
const said = (visit) =>
  visit.messages().evaluateAll((all) =>
    all.map((message) => message.querySelector('.webchat__render-markdown, .webchat__bubble__content')?.textContent.trim()),
  );

inEachVersion('A bot behind Web Chat', (around) => {
  visiting(around, 'greets its user once, and answers each message in order', {}, async (visit) => {
    await visit.message('Welcome, dl_').waitFor();
    for (const [round, word] of ['first', 'second'].entries()) {
      await type(visit, word);
      await visit.message('Anything else?').nth(round).waitFor();
    }
    const [welcome, ...rest] = await said(visit);
    assert.match(welcome, /^Welcome, dl_\S+\.$/);
    assert.deepEqual(rest, ['first', 'You said: first', 'Anything else?', 'second', 'You said: second', 'Anything else?']);
  });

  visiting(around, 'has its sources cited', {}, async (visit) => {
    await visit.message('Welcome').waitFor();
    await type(visit, 'sources');
    const message = visit.message('Leave is 30 days');
    await message.waitFor();
    assert.deepEqual(await badgeTexts(message), ['[1]']);
    assert.equal(await badges(message).first().getAttribute('href'), 'https://hr.example/leave');
    assert.equal(await entries(message).count(), 1);
    assert.equal(await visit.message('uncited').count(), 0);
  });

  visiting(around, 'streams, and one message is left of it', {}, async (visit) => {
    await visit.message('Welcome').waitFor();
    await type(visit, 'stream');
    await visit.message('One two three.').waitFor();
    await visit.message('Looking it up').waitFor({ state: 'detached' });
    assert.equal(await visit.messages().count(), 3);
  });

  visiting(around, 'gets the file that its user sends', {}, async (visit) => {
    await visit.message('Welcome').waitFor();
    const file = { name: 'résumé 😀.txt', mimeType: 'text/plain', buffer: Buffer.from('thirty days') };
    await visit.page.locator('#chat-host input[type=file]').setInputFiles(file);
    await visit.page.getByRole('textbox', { name: 'Message input box' }).press('Enter');
    await visit.message('résumé 😀.txt: 11 bytes of text/plain').waitFor();
  });

  visiting(around, 'that fails leaves its user with a word about it', {}, async (visit) => {
    await visit.message('Welcome').waitFor();
    await type(visit, 'fail');
    await visit.message('The agent encountered an error or bug.').waitFor();
    await type(visit, 'and then');
    await visit.message('Anything else?').waitFor();
  });
}, environment);
