// What `check` finds for Teams, held against what Microsoft's emulator of Teams says and shows: `findings.json`.
//
// A case is the `sound` activity with changes (`set`, `remove`), and has a finding with its `code`. `seen` is the answer of the
// emulator and what its page shows; `mended` the same for the activity that `fix=true` returns. The emulator lets pass much of
// what Teams refuses: those codes are in `byReading`, with the vendor's page and the reason.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { changed } from '../browser/changes.mjs';
import { API_KEY, startBrowser, startService } from '../browser/processes.mjs';
import { Chat } from './chat.mjs';
import { startPlayground } from './playground.mjs';
import { startScriptedBot } from './scripted-bot.mjs';

const { sound, cases } = JSON.parse(await readFile(new URL('findings.json', import.meta.url), 'utf8'));
const LIMIT_MS = 90_000;

/** The sound activity with the changes of a case. */
function faulty(its) {
  const activity = changed(sound, its);
  if (its.long) activity.text += 'x'.repeat(its.long);
  return activity;
}

/** Everything about a bubble that a case can expect. */
const read = (bubble) =>
  bubble.evaluateAll((all) =>
    all.map((element) => {
      // The header stands beside the bubble, in the largest part of the page that holds no other bubble.
      let whole = element;
      while (whole.parentElement && whole.parentElement.querySelectorAll('.fai-OutputCard').length <= 1) whole = whole.parentElement;
      return {
        text: element.innerText.replace(/\s+/g, ' ').trim().replace(/^case\S+ /, ''),
        badges: [...element.querySelectorAll('.fai-Citation')].map((badge) => badge.textContent),
        links: [...element.querySelectorAll('a:not(.fai-Citation)')].map((link) => link.textContent),
        ai: /AI generated/.test(whole.innerText),
      };
    }),
  );

describe('findings and what the emulator of Teams says and shows', () => {
  const running = {};
  before(
    async () => {
      running.service = await startService({});
      running.browser = await startBrowser();
      running.bot = await startScriptedBot();
      running.playground = await startPlayground(running.bot.url);
      running.chat = await Chat.open(running.browser, running.playground);
    },
    { timeout: LIMIT_MS },
  );
  after(
    async () => {
      await running.browser?.close();
      await running.playground?.stop();
      await running.bot?.stop();
      await running.service?.stop();
    },
    { timeout: LIMIT_MS },
  );

  async function check(activity, { profile }, fix) {
    const query = new URLSearchParams({ fix, ...(profile && { profile }) });
    const response = await fetch(`${running.service.url}/v1/check?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ activity, channel: 'teams' }),
    });
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    return { activity: body.activity, codes: body.findings.map(({ code }) => code) };
  }

  /** Has the bot say an activity, and gives the answer of the emulator and what is shown. */
  async function say(activity, tag, { shown = true }) {
    const { status } = await running.bot.say({ ...activity, text: activity.text && `${tag} ${activity.text}` });
    const bubble = running.chat.bubble(`${tag} `);
    if (!shown) return { status, shown: (await bubble.count()) > 0 };
    await bubble.waitFor();
    const [seen] = await read(bubble);
    return { status, ...seen };
  }

  const part = (whole, expected) => Object.fromEntries(Object.keys(expected).map((name) => [name, whole[name]]));

  test('the sound activity has two badges and the mark, and no finding', { timeout: LIMIT_MS }, async () => {
    const { codes } = await check(sound, {}, false);
    assert.deepEqual(codes, []);
    const { status, badges, ai } = await say(sound, 'case-sound', {});
    assert.deepEqual({ status, badges, ai }, { status: 201, badges: ['1', '2'], ai: true });
  });

  for (const [at, its] of cases.entries()) {
    test(`${its.code} is what the emulator shows`, { timeout: LIMIT_MS }, async () => {
      const fault = faulty(its);
      const { codes } = await check(fault, its, false);
      assert.ok(codes.includes(its.code), `${its.code} is not among ${codes}`);
      assert.deepEqual(part(await say(fault, `case-${at}`, its.seen), its.seen), its.seen);
      if (!its.mended) return;
      const mended = await check(fault, its, true);
      assert.ok(!mended.codes.includes(its.code), `${its.code} is left`);
      assert.deepEqual(part(await say(mended.activity, `case-${at}-mended`, its.mended), its.mended), its.mended);
    });
  }
});
