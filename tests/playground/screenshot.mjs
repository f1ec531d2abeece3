// Draws the picture for the documentation from the emulator: `node screenshot.mjs FOLDER`.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBrowser, startService } from '../browser/processes.mjs';
import { startBackEnd } from './back-end.mjs';
import { Chat } from './chat.mjs';
import { startPlayground } from './playground.mjs';

const LIMIT_BYTES = 150_000;
const LABEL = { id: 'internal', name: 'Internal', description: 'Readers of Contoso only', priority: 1 };
const SOURCES = [
  { title: 'Staff handbook, page 12', content: 'Leave is asked for in writing, two weeks before it begins.' },
  { title: 'Leave policy', url: 'https://hr.contoso.example/leave', content: 'Employees of Contoso get 30 days of annual leave.', label: LABEL },
];
const ANSWER = `Two things to know:

You ask for leave in writing, two weeks before it begins [1], and your team lead answers within three days [1].

Until then nothing is booked, and nobody has to cancel anything.

Whoever has been with Contoso for a whole year has **30 days** of annual leave [2].`;

const folder = process.argv[2];
assert.ok(folder, 'name the folder for the picture');
await mkdir(folder, { recursive: true });

const backEnd = await startBackEnd();
const data = await mkdtemp(join(tmpdir(), 'citewire-picture-'));
const config = join(data, 'citewire.toml');
await writeFile(
  config,
  `[assistants.handbook.options]
feedback = true

[assistants.handbook.upstream]
kind = "http"
url = "${backEnd.url}"
from = "citewire"
`,
);
const service = await startService({}, { CITEWIRE_ASSISTANT: '', CITEWIRE_AZURE_BOT_ANONYMOUS: 'true', CITEWIRE_CONFIG: config });
const playground = await startPlayground(service.url);
const browser = await startBrowser();
try {
  const chat = await Chat.open(browser, playground, { viewport: { width: 1180, height: 520 }, reducedMotion: 'reduce' });
  await chat.page.getByRole('button', { name: 'Hide log panel' }).click();
  await chat.say('How long is leave, and how do I ask for it?');
  (await backEnd.asked()).end({ sources: SOURCES }, { delta: ANSWER });
  const answer = chat.bubble('30 days');
  await chat.badges(answer).nth(2).waitFor();
  await chat.page.getByRole('button', { name: 'Like', exact: true }).waitFor();
  await chat.page.evaluate(() => document.activeElement.blur());
  await chat.badges(answer).last().hover();
  await chat.page.locator('.fai-PreviewContent').waitFor();
  const file = join(folder, 'teams-playground.png');
  await chat.page.screenshot({ path: file });
  const { size } = await stat(file);
  assert.ok(size < LIMIT_BYTES, `${file} has ${size} bytes`);
  console.log(`${file}: ${size} bytes`);
  await chat.close();
} finally {
  await browser.close();
  await playground.stop();
  await service.stop();
  await backEnd.stop();
  await rm(data, { recursive: true, force: true });
}
