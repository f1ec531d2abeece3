// What `check` finds, held against what real Web Chat draws of it: `findings.json`.
//
// A case is one of the `bases` with changes (`set`, `remove`), and has a finding with its `code`.
// - `seen`: what is drawn otherwise because of it, by place: `0.titles` are the titles of the first message. Where the versions
//   differ, each has its own. "nothing" means that all is drawn as in `sound`, the base with other changes: the finding is about
//   other readers, or about what follows.
//   "held" means that the last message is held back for five seconds.
// - `mended`: what is drawn there of the document that `fix=true` returns. `left`: that document still has the finding.
// A code that no case here shows needs one of the emulator of Teams, or a reason, in `../playground/findings.json`. That each
// code has one, and each case its finding, is tested in `crates/check/tests/messages/drawn.rs`.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { changed } from './changes.mjs';
import { Drawing } from './drawing.mjs';
import { PRERELEASE, RELEASE } from './harness.mjs';
import { API_KEY, startBrowser, startService } from './processes.mjs';

const VERSIONS = { '4.18.1': RELEASE, main: PRERELEASE };
const { bases, cases } = JSON.parse(await readFile(new URL('findings.json', import.meta.url), 'utf8'));

/** Every fact about what was drawn, by its place. */
function facts({ messages, alive, said, pressed }) {
  const all = { messages: messages.length, alive, ...(said && { said }), ...(pressed && { pressed }) };
  messages.forEach((message, at) => Object.entries(message).forEach(([name, fact]) => (all[`${at}.${name}`] = fact)));
  return all;
}

/** The facts at the places of the expected ones. */
const same = (all, expected) => Object.fromEntries(Object.keys(expected).map((place) => [place, all[place] ?? null]));

const ofVersion = (facts, version) => (facts instanceof Object && ('main' in facts || '4.18.1' in facts) ? facts[version] : facts);

describe('findings and what Web Chat draws', { concurrency: true }, () => {
  let browser;
  let service;
  let checked;
  before(async () => {
    service = await startService(RELEASE);
    browser = await startBrowser();
    checked = await Promise.all(cases.map(check));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** The document of a case, and the mended one. */
  async function check(its) {
    const fault = changed(bases[its.base ?? 'cited'], its);
    const response = await fetch(`${service.url}/v1/check?fix=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ activity: fault, channel: 'web-chat' }),
    });
    const { activity } = await response.json();
    return { its, fault, mended: activity };
  }

  for (const [version, { name, script }] of Object.entries(VERSIONS)) {
    test(`what is seen in ${name}`, { timeout: 90_000 }, async (t) => {
      const drawing = await Drawing.begin(browser, { script });
      const waiting = checked.filter(({ its }) => its.seen === 'held').map(({ fault }) => drawing.arrival(fault));
      const documents = [];
      const place = (document) => {
        const written = JSON.stringify(document);
        let at = documents.findIndex((known) => known.written === written);
        if (at < 0) at = documents.push({ written, document }) - 1;
        return at;
      };
      const places = checked.map(({ its, fault, mended }) => ({
        fault: place(fault),
        sound: its.seen === 'nothing' ? place(changed(bases[its.base ?? 'cited'], its.sound)) : undefined,
        mended: its.mended ? place(mended) : undefined,
      }));
      const drawn = await drawing.draw(documents.map(({ document }) => document));
      const isPressed = (facts) => Object.hasOwn(ofVersion(facts, version) ?? {}, 'pressed');
      const pressed = [
        ...new Set(checked.flatMap(({ its }, order) => [isPressed(its.seen) && places[order].fault, isPressed(its.mended) && places[order].mended])),
      ].filter(Number.isInteger);
      const opened = await drawing.press(pressed.map((at) => documents[at].document));
      const seen = (at) => ({ ...facts(drawn[at]), ...(pressed.includes(at) && { pressed: opened[pressed.indexOf(at)] }) });
      for (const [order, { its }] of checked.entries()) {
        await t.test(`${its.code} ${order}`, () => {
          const at = places[order];
          const all = seen(at.fault);
          if (its.seen === 'held') return undefined;
          if (its.seen === 'nothing') return assert.deepEqual(facts(drawn[at.fault]), facts(drawn[at.sound]));
          const expected = ofVersion(its.seen, version);
          assert.deepEqual(same(all, expected), expected, 'what is drawn');
          if (!its.mended) return undefined;
          const better = ofVersion(its.mended, version);
          const whole = seen(at.mended);
          assert.deepEqual(same(whole, better), better, 'what is drawn of the mended one');
          return undefined;
        });
      }
      // The program's own timer, which no slow machine shortens.
      for (const time of await Promise.all(waiting)) assert.ok(time > 4_900, `the message came after ${time} ms`);
      await drawing.context.close();
    });
  }
});
