// Answers that are hard to cite, and what readers see of them in both versions of Web Chat: `hard-answers.json`.
//
// What is expected of one:
// - `badges`: the numbers of the badges, in order. Each leads where its entry in `references` does.
// - `references`: the list at the bottom, in order; a name stands for a source of the file. Without `url` it opens a passage.
// - `text`: what can be read, with blanks joined and badges as ‹1›.
// - `links`: the other links, as text and address; none when absent.
// - `code`: the contents of code, but for line ends behind it; none when absent.
// - `elements`: how many of each there are. `labels`: of sources, by number. `dialogs`: what opens, by number.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Visit, badges, inEachVersion } from './harness.mjs';

const file = JSON.parse(await readFile(new URL('hard-answers.json', import.meta.url), 'utf8'));
const known = (name) => (typeof name === 'string' ? file.sources[name] : name);

/** Everything about the messages on the page that a reader could see or press. */
function read(articles) {
  const BLOCKS = 'p, li, ul, ol, td, th, tr, table, blockquote, pre, br, hr, h1, h2, h3, h4, h5, h6, div, section';
  const BADGE = 'webchat__render-markdown__pure-identifier';
  const spoken = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return '';
    if (node.classList.contains(BADGE)) return `‹${node.textContent}›`;
    const inner = [...node.childNodes].map(spoken).join('');
    return node.matches(BLOCKS) ? ` ${inner} ` : inner;
  };
  const joined = (text) => text.replaceAll('\u200b', '').replace(/\s+/g, ' ').trim();
  const led = (element) => element.getAttribute('href') ?? element.getAttribute('value');
  // What Web Chat itself adds to a link.
  const ownImage = (image) =>
    image.matches('a > img.webchat__render-markdown__external-link-icon') && /^data:image\/gif;/.test(image.src);
  const acts = (element) =>
    [...element.attributes].some(({ name, value }) => name.startsWith('on') || /^\s*(javascript|vbscript|data):/i.test(value));
  return articles.map((article) => {
    const body = article.querySelector('.webchat__render-markdown');
    const all = (selector) => [...body.querySelectorAll(selector)];
    return {
      text: joined(spoken(body)),
      badges: all(`.${BADGE}`).map((badge) => [badge.textContent.replaceAll('\u200b', ''), led(badge)]),
      links: all(`a:not(.${BADGE})`).map((link) => [joined(spoken(link)), link.getAttribute('href')]),
      code: all('code').map((code) => code.textContent.replace(/\n+$/, '')),
      elements: Object.fromEntries(
        ['p', 'ul', 'ol', 'li', 'th', 'td', 'blockquote', 'h1', 'h2', 'br', 'hr', 'strong', 'em', 'sub', 'sup'].map((name) => [
          name,
          all(name).length,
        ]),
      ),
      references: [...article.querySelectorAll('.webchat__link-definitions [role=listitem]')].map((item) => ({
        number: item.querySelector('.webchat__link-definitions__badge').textContent,
        title: item.querySelector('.webchat__link-definitions__list-item-text').textContent,
        url: item.querySelector('a')?.getAttribute('href') ?? null,
        whole: item.textContent,
      })),
      strange: all('*')
        .filter(
          (element) =>
            element.matches('script, iframe, frame, object, embed, form, input, textarea, select, style, link, meta, video, audio, svg') ||
            (element.matches('img') && !ownImage(element)) ||
            (element.matches('button') && !element.matches(`.${BADGE}, .code-block-copy-button:not([value])`)) ||
            (!element.matches('img') && acts(element)),
        )
        .map((element) => element.outerHTML),
    };
  });
}

/** Sends an answer from outside of the page, which is busy drawing the others. */
async function deliver({ url, token }, answer) {
  const response = await fetch(`${url}/page/answers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ from: 'citewire', answer }),
  });
  assert.equal(response.status, 201, await response.text());
}

/** Web Chat redraws what it shows with every message, so a conversation holds a part of the answers. */
const PART = 24;
// Behind other answers the numbers of one without sources would be theirs.
const first = ({ sources }) => Number(sources?.length !== 0);
const parts = Array.from({ length: Math.ceil(file.answers.length / PART) }, (_, n) =>
  file.answers.slice(n * PART, (n + 1) * PART).sort((one, other) => first(one) - first(other)),
);

inEachVersion('hard answers in Web Chat', (around) => {
  for (const [n, answers] of parts.entries()) {
    test(`part ${n + 1}`, { timeout: 90_000 }, async (t) => {
      const { browser, service } = around();
      const visit = await Visit.begin(browser, service, {});
      try {
        await visit.open();
        for (const { text, sources = ['A', 'B', 'C'] } of answers) {
          await deliver(visit, { text, sources: sources.map(known) });
        }
        await visit.messages().nth(answers.length - 1).waitFor();
        const seen = await visit.messages().evaluateAll(read);
        assert.equal(seen.length, answers.length);
        for (const [place, { name, expect }] of answers.entries()) {
          await t.test(name, () => judge(visit, seen[place], expect, visit.messages().nth(place)));
        }
        visit.assertClean();
      } finally {
        await visit.context.close();
      }
    });
  }
});

/** Holds what was seen of one message against what is expected of it. */
async function judge(visit, seen, expect, message) {
  const { text, badges: shown, links, code, elements, references, strange } = seen;
  const wanted = expect.references.map(known);
  assert.deepEqual(strange, [], 'nothing but text, links and badges');
  assert.deepEqual(
    references.map(({ number, title, url }) => [number, title, url]),
    wanted.map(({ title, url = null }, at) => [`${at + 1}`, title, url]),
  );
  assert.deepEqual(
    shown,
    expect.badges.map((number) => [`${number}`, wanted[number - 1].url ?? `cite:${number}`]),
  );
  assert.equal(text, expect.text);
  assert.deepEqual(links, expect.links ?? []);
  assert.deepEqual(code, expect.code ?? []);
  for (const [element, count] of Object.entries(expect.elements ?? {})) {
    assert.equal(elements[element], count, `<${element}>`);
  }
  for (const [number, label] of Object.entries(expect.labels ?? {})) {
    assert.ok(references[number - 1].whole.includes(label), `${label} at ${number}`);
  }
  for (const [number, passage] of Object.entries(expect.dialogs ?? {})) {
    await badges(message).nth(expect.badges.indexOf(Number(number))).click();
    const dialog = visit.page.getByRole('dialog', { name: wanted[number - 1].title });
    try {
      const opened = await dialog.getByRole('paragraph').innerText();
      assert.equal(opened.replaceAll('\u200b', ''), passage);
      assert.equal(await dialog.locator('img[src^=http], script').count(), 0);
    } finally {
      await visit.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
  }
}
