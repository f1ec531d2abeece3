// A question typed into the page of a server of which nothing is set, answered from citewire's own documentation, in both
// versions of Web Chat.

import assert from 'node:assert/strict';
import { badgeTexts, badges, entries, inEachVersion, visiting } from './harness.mjs';

/** Nothing is set, as after the first command of the README. */
const environment = () => ({ CITEWIRE_ASSISTANT: '' });

const GREETING = 'I know the documentation of citewire';
const QUESTION = 'What happens to a marker that names no source?';

const BEGINNING = 'This is what the documentation says';

/** How long nothing is drawn until the answer has ended. */
const QUIET_MS = 1_000;

/** Notes in the page when something is drawn, and how long the answer is then, if it has a badge by then. */
function watch(beginning) {
  window.seen = new Set();
  const look = () => {
    window.drawn = performance.now();
    const badges = [...document.querySelectorAll('#chat-host .webchat__render-markdown__pure-identifier')];
    const texts = badges.map((badge) => badge.closest('.webchat__render-markdown').innerText);
    const text = texts.find((one) => one.includes(beginning));
    if (text) window.seen.add(text.length);
  };
  new MutationObserver(look).observe(document.querySelector('#chat-host'), { subtree: true, childList: true, characterData: true });
}

async function type(visit, text) {
  const box = visit.page.getByRole('textbox', { name: 'Message input box' });
  await box.fill(text);
  await box.press('Enter');
}

inEachVersion('The assistant for the documentation', (around) => {
  visiting(around, 'greets, and answers a question while its answer is written, with true citations', {}, async (visit) => {
    await visit.message(GREETING).waitFor();
    await visit.page.evaluate(watch, BEGINNING);
    await type(visit, QUESTION);
    const answer = visit.message(BEGINNING);
    await answer.waitFor();
    // The answer goes on for a second or two; what is shown of it grows in one bubble, and its badges are links at once.
    await visit.page.waitForFunction(() => window.seen.size > 1);
    await badges(answer).nth(1).waitFor();
    assert.equal(await answer.count(), 1);
    const numbers = (await badgeTexts(answer)).map((text) => text.replace(/\D/g, ''));
    assert.ok(numbers.length >= 2 && numbers[0] === '1', `badges ${numbers}`);
    // A badge that is drawn anew between the press and the release of a button is not clicked.
    await visit.page.waitForFunction((quiet) => performance.now() - window.drawn > quiet, QUIET_MS);
    // A badge leads to the heading in the documentation that the server shows.
    const opening = visit.context.waitForEvent('page');
    await badges(answer).first().click();
    const page = await opening;
    await page.getByRole('navigation', { name: 'Documentation' }).waitFor();
    assert.match(page.url(), /\/help\/[a-z/-]+\.md#[a-z0-9-]+(?::~:text=|$)/);
    // Behind the place may stand the sentence, which the browser marks.
    const [place] = new URL(page.url()).hash.slice(1).split(':~:');
    await page.waitForFunction((place) => document.getElementById(place)?.matches('h1, h2, h3'), place);
  });

  visiting(around, 'says so when the documentation says nothing', {}, async (visit) => {
    await visit.message(GREETING).waitFor();
    await type(visit, 'Which football club won in 1974?');
    const answer = visit.message('The documentation says nothing about this');
    await answer.waitFor();
    assert.equal(await badges(answer).count(), 0);
  });

  visiting(around, 'answers two questions one after the other', {}, async (visit) => {
    await visit.message(GREETING).waitFor();
    await type(visit, QUESTION);
    await type(visit, 'How are sensitivity labels attached?');
    const answers = visit.message('This is what the documentation says');
    await entries(answers.nth(1)).first().waitFor();
    assert.equal(await answers.count(), 2);
  });
}, environment);
