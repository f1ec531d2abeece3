// The chat in pages of another site: the script, its settings, and what it says when something is wrong.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { freePort } from './free-port.mjs';
import { RELEASE, startBrowser, startService, visiting } from './harness.mjs';
import { DIRECT_LINE_SECRET } from './processes.mjs';

const QUESTION = 'What happens to a marker that names no source?';
const GREETING = 'I know the documentation';
const ANSWER = 'This is what the documentation says';
const PHONE = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };

/** A web site on a port of its own: another origin than citewire's. */
class Site {
  #pages = new Map();
  #server = createServer((request, response) => this.#answer(request, response));

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.origin = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Puts a page there: what is in its body, and its headers. */
  page(path, body, headers = {}) {
    this.#pages.set(path, (response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
      response.end(`<!doctype html><html lang="en"><head><title>Contoso</title></head><body>${body}</body></html>`);
    });
    return this.origin + path;
  }

  /** Puts an endpoint there that gives JSON. */
  endpoint(path, give) {
    this.#pages.set(path, async (response, request) => {
      const pieces = await request.toArray();
      const [status, answer] = await give(JSON.parse(Buffer.concat(pieces).toString() || '{}'));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  }

  #answer(request, response) {
    const page = this.#pages.get(request.url);
    if (page) page(response, request);
    else response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end();
  }
}

let browser;
let service;
/** Its origin is listed; that of the other one is not. */
let site;
let stranger;
before(async () => {
  [site, stranger] = await Promise.all([new Site().start(), new Site().start()]);
  service = await startService(RELEASE, {
    // The assistant for citewire's own documentation.
    CITEWIRE_ASSISTANT: '',
    CITEWIRE_EMBED_ORIGINS: site.origin,
    CITEWIRE_EMBED_ANONYMOUS: 'true',
    CITEWIRE_PAGE: 'false',
  });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
  site?.stop();
  stranger?.stop();
});

/** A test in a page of another site, with what is in its body. */
function embedded(name, options, body) {
  visiting(() => ({ browser, service }), name, { ...options, opened: false }, async (visit) => {
    visit.hosts.add(new URL(site.origin).host).add(new URL(stranger.origin).host);
    await body(visit);
  });
}

const script = (attributes = '') => `<script src="${service.url}/embed.js" ${attributes}></script>`;
const launcher = ({ page }) => page.getByRole('button', { name: 'Open the chat' });
const panel = ({ page }) => page.getByRole('dialog', { name: 'Chat' });
const inside = (visit) => panel(visit).frameLocator('iframe');
const box = (visit) => inside(visit).getByRole('textbox', { name: 'Message input box' });
const message = (visit, text) => inside(visit).getByRole('feed').locator('> article').filter({ hasText: text });

async function ask(visit, text = QUESTION) {
  await box(visit).fill(text);
  await box(visit).press('Enter');
}

const sockets = (visit) => visit.requests().filter((url) => url.startsWith('ws'));

for (const transport of ['websocket', 'polling']) {
  embedded(`a visitor asks by the button and reads a cited answer, by ${transport}`, {}, async (visit) => {
    const { page } = visit;
    await page.goto(site.page('/', `<h1>Contoso</h1>${script(`data-transport="${transport}"`)}`));
    assert.equal(visit.requests().filter((url) => url.includes('/embed/')).length, 0, 'nothing is loaded before');
    await launcher(visit).click();
    await ask(visit);
    const answer = message(visit, ANSWER);
    await answer.locator('.webchat__render-markdown__pure-identifier').first().waitFor();
    assert.equal(sockets(visit).length > 0, transport === 'websocket');
    // Most letters of a text say its direction.
    await answer.locator('.webchat__text-content[dir=ltr]').first().waitFor();
    await ask(visit, 'PDF: כמה ימי חופשה יש לי?');
    await message(visit, 'חופשה').locator('.webchat__text-content[dir=rtl]').first().waitFor();
  });
}

/** Has the site give tokens for a user, as samples/embed does; gives the bodies of the requests. */
function givingTokens(user, origins = [site.origin]) {
  const asked = [];
  site.endpoint('/token', async (body) => {
    asked.push(body);
    const response = await fetch(`${service.url}/v3/directline/tokens/generate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${DIRECT_LINE_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user: { id: user() }, trustedOrigins: origins }),
    });
    return [response.status, await response.json()];
  });
  return asked;
}

for (const transport of ['websocket', 'polling']) {
  embedded(`the page asks its own endpoint for a token, by ${transport}`, {}, async (visit) => {
    const asked = givingTokens(() => 'dl_ann');
    const attributes = `data-token-url="/token" data-assistant="docs" data-transport="${transport}"`;
    await visit.page.goto(site.page('/signed-in', script(attributes)));
    await launcher(visit).click();
    await ask(visit);
    await message(visit, ANSWER).waitFor();
    assert.deepEqual(asked, [{ assistant: 'docs' }]);
    assert.equal(visit.requests().filter((url) => url.endsWith('/embed/session')).length, 0);
    assert.equal(sockets(visit).length > 0, transport === 'websocket');
  });
}

embedded('the conversation goes on in the next page of the tab, and nothing is asked of it twice', {}, async (visit) => {
  const { page } = visit;
  await page.goto(site.page('/one', `<a href="/two">Next</a>${script()}`));
  site.page('/two', `<input aria-label="Search" autofocus>${script()}`);
  await launcher(visit).click();
  await ask(visit);
  await message(visit, ANSWER).waitFor();
  await page.getByRole('link', { name: 'Next' }).click();
  await message(visit, ANSWER).waitFor();
  assert.equal(await message(visit, QUESTION).count(), 1);
  const sessions = () => visit.requests().filter((url) => url.endsWith('/embed/session')).length;
  assert.equal(sessions(), 1);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'INPUT', 'the focus is the page\'s');
  await ask(visit, 'How are sensitivity labels attached?');
  await message(visit, ANSWER).nth(1).waitFor();
});

embedded('the token is renewed at half of its life, for the next page as well', {}, async (visit) => {
  const { page } = visit;
  const stored = () => page.evaluate(() => JSON.parse(Object.values(sessionStorage)[0]).token);
  await page.clock.install();
  await page.goto(site.page('/', script()));
  await launcher(visit).click();
  await message(visit, GREETING).waitFor();
  const before = await stored();
  const renewal = page.waitForResponse((response) => response.url().endsWith('/tokens/refresh'));
  await page.clock.fastForward(901_000);
  const { token } = await (await renewal).json();
  await page.waitForFunction((token) => Object.values(sessionStorage)[0].includes(token), token);
  assert.notEqual(token, before);
});

embedded('nobody sees the conversation of the one who was signed in before', {}, async (visit) => {
  const { page } = visit;
  let user = 'dl_ann';
  givingTokens(() => user);
  await page.goto(site.page('/signed-in', script('data-token-url="/token"')));
  await launcher(visit).click();
  await ask(visit);
  await message(visit, ANSWER).waitFor();
  user = 'dl_bob';
  await page.reload();
  await message(visit, GREETING).waitFor();
  assert.equal(await message(visit, QUESTION).count(), 0);
});

embedded('the keyboard opens the chat, types in it, closes it, and is where it was', {}, async (visit) => {
  const { page } = visit;
  await page.goto(site.page('/', `<a href="#x">A link</a>${script()}`));
  assert.equal(await launcher(visit).getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await message(visit, GREETING).waitFor();
  await box(visit).and(inside(visit).locator(':focus')).waitFor();
  const closing = page.getByRole('button', { name: 'Close the chat: Chat' });
  assert.equal(await closing.getAttribute('aria-expanded'), 'true');
  await page.keyboard.type(QUESTION);
  await page.keyboard.press('Enter');
  const badge = message(visit, ANSWER).locator('.webchat__render-markdown__pure-identifier').first();
  await badge.click();
  const source = inside(visit).locator('dialog[open]');
  await source.waitFor();
  // A source that is shown closes first, then the chat.
  await page.keyboard.press('Escape');
  await source.waitFor({ state: 'hidden' });
  assert.equal(await panel(visit).isVisible(), true);
  // In the transcript, Escape leaves the message first.
  await box(visit).focus();
  await page.keyboard.press('Escape');
  await panel(visit).waitFor({ state: 'hidden' });
  await launcher(visit).and(page.locator(':focus')).waitFor();
  // The conversation is there as it was.
  await page.keyboard.press('Enter');
  await message(visit, ANSWER).waitFor();
});

embedded('on a phone the chat fills the screen and the page behind it is out of reach', PHONE, async (visit) => {
  const { page } = visit;
  await page.goto(site.page('/phone', `<meta name="viewport" content="width=device-width"><a href="#x">A link</a>${script()}`));
  await launcher(visit).tap();
  await message(visit, GREETING).waitFor();
  const { x, y, width, height } = await panel(visit).boundingBox();
  assert.deepEqual([x, y, width, height], [0, 0, 390, 780]);
  assert.ok(await panel(visit).evaluate((dialog) => dialog.matches(':modal')), 'the rest of the page is inert');
  const size = await inside(visit).locator('html').evaluate((html) => [html.scrollWidth, innerWidth]);
  assert.equal(size[0], size[1], 'nothing is wider than the screen');
  await page.getByRole('button', { name: 'Close the chat', exact: true }).tap();
  await panel(visit).waitFor({ state: 'hidden' });
});

/** The colour that is behind everything in the frame, and that of the button. */
const colours = async (visit) => [
  await inside(visit).locator('body').evaluate((body) => getComputedStyle(body).backgroundColor),
  await visit.page.locator('.launcher').evaluate((button) => getComputedStyle(button).backgroundColor),
];

for (const [name, attributes, colorScheme, expected] of [
  ['the chat is dark for readers who want it dark', '', 'dark', ['rgb(24, 29, 31)', 'rgb(124, 208, 220)']],
  ['the page chooses the theme and the colour', 'data-theme="light" data-color="#7a1fa2"', 'dark', ['rgb(255, 255, 255)', 'rgb(122, 31, 162)']],
]) {
  embedded(name, { colorScheme }, async (visit) => {
    await visit.page.goto(site.page('/colours', script(attributes)));
    await launcher(visit).click();
    await message(visit, GREETING).waitFor();
    assert.deepEqual(await colours(visit), expected);
  });
}

embedded('nothing moves for readers who want no movement', { reducedMotion: 'reduce' }, async (visit) => {
  await visit.page.goto(site.page('/', script('data-title="Ask Contoso"')));
  await visit.page.getByRole('button', { name: 'Open the chat: Ask Contoso' }).click();
  const dialog = visit.page.getByRole('dialog', { name: 'Ask Contoso' });
  assert.equal(await dialog.evaluate((element) => getComputedStyle(element).animationName), 'none');
});

const REFUSED = [/blocked by CORS policy/, /Failed to load resource/];

embedded('a page of a site that is not listed is told so in words', { expected: REFUSED }, async (visit) => {
  const { page } = visit;
  await page.goto(stranger.page('/', script()));
  await launcher(visit).click();
  const alert = panel(visit).getByRole('alert');
  await alert.waitFor();
  const words = await alert.innerText();
  assert.match(words, new RegExp(`This page may not use the chat\\s+The server of the chat does not list ${stranger.origin}`));
  assert.match(words, /embed\.origins/);
});

embedded('a token for another site is told so in words', { expected: REFUSED }, async (visit) => {
  givingTokens(() => 'dl_ann', ['https://elsewhere.example']);
  await visit.page.goto(site.page('/signed-in', script('data-token-url="/token"')));
  await launcher(visit).click();
  await panel(visit).getByRole('alert').filter({ hasText: 'The chat cannot be started' }).filter({ hasText: 'origin' }).waitFor();
});

embedded('an endpoint that fails is told of, and the button tries again', { expected: REFUSED }, async (visit) => {
  site.endpoint('/token', () => [401, { detail: 'Sign in to chat.' }]);
  await visit.page.goto(site.page('/signed-in', script('data-token-url="/token"')));
  await launcher(visit).click();
  await panel(visit).getByText('Sign in to chat.').waitFor();
  givingTokens(() => 'dl_ann');
  await panel(visit).getByRole('button', { name: 'Try again' }).click();
  await message(visit, GREETING).waitFor();
});

embedded('two lines make one chat, and rules of the page do not reach it', {}, async (visit) => {
  const rules = '<style>body > * { color: red } button, dialog, div { display: none; font-size: 80px }</style>';
  await visit.page.goto(site.page('/twice', `${rules}${script()}${script()}`));
  assert.equal(await launcher(visit).count(), 1);
  await launcher(visit).click();
  await message(visit, GREETING).waitFor();
});

// Web Chat's client throws what it also reports as its state.
const LOST = [...REFUSED, /uncaught: Uncaught Error: ajax error 503/];

embedded('a conversation whose line is lost is taken up again by the button', { expected: LOST }, async (visit) => {
  const { page } = visit;
  const start = '**/v3/directline/conversations';
  await page.route(start, (route) => route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' }, json: {} }));
  await page.goto(site.page('/', script()));
  await launcher(visit).click();
  await panel(visit).getByText('The connection is lost').waitFor();
  await page.unroute(start);
  await panel(visit).getByRole('button', { name: 'Try again' }).click();
  await message(visit, GREETING).waitFor();
  assert.equal(visit.requests().filter((url) => url.endsWith('/embed/session')).length, 1);
});

embedded('a page with a strict content security policy works with the one that the guide names', {}, async (visit) => {
  const guide = await readFile(new URL('../../docs/start/embed.md', import.meta.url), 'utf8');
  const [, named] = /^ {4}(default-src .*)$/m.exec(guide);
  const policy = named
    .replaceAll('NONCE', 'c29tZXRoaW5n')
    .replaceAll('https://YOUR-HOST', service.url)
    .replaceAll('wss://YOUR-HOST', service.url.replace('http', 'ws'));
  const page = site.page('/strict', script('nonce="c29tZXRoaW5n"'), { 'content-security-policy': policy });
  await visit.page.goto(page);
  await launcher(visit).click();
  await ask(visit);
  await message(visit, ANSWER).locator('.webchat__render-markdown__pure-identifier').first().waitFor();
});

const SAMPLES = new URL('../../samples/embed/', import.meta.url).pathname;

const ENDPOINTS = [
  ['Node', process.execPath, 'token-endpoint.mjs'],
  ['Python', 'python3', 'token_endpoint.py'],
];

for (const [name, command, file, transport] of ENDPOINTS.flatMap((row) => ['websocket', 'polling'].map((way) => [...row, way]))) {
  embedded(`the page of the samples chats with the token endpoint in ${name}, by ${transport}`, {}, async (visit) => {
    const folder = await mkdtemp(join(tmpdir(), 'citewire-embed-'));
    const page = (await readFile(join(SAMPLES, 'page.html'), 'utf8')).replaceAll('https://YOUR-HOST', service.url);
    const polling = page.replace('createDirectLine({ ', 'createDirectLine({ webSocket: false, ');
    assert.notEqual(polling, page);
    await writeFile(join(folder, 'page.html'), transport === 'polling' ? polling : page);
    const own = `http://127.0.0.1:${await freePort()}`;
    visit.hosts.add(new URL(own).host);
    const environment = { CITEWIRE_URL: service.url, CITEWIRE_DIRECT_LINE_SECRET: DIRECT_LINE_SECRET, SITE: own };
    const sample = spawn(command, [join(SAMPLES, file)], { cwd: folder, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      // It says so when it listens.
      await once(sample.stdout, 'data');
      await visit.page.goto(`${own}/page.html`);
      await visit.message(GREETING).waitFor();
      const box = visit.page.getByRole('textbox', { name: 'Message input box' });
      await box.fill(QUESTION);
      await box.press('Enter');
      await visit.message(ANSWER).locator('.webchat__render-markdown__pure-identifier').first().waitFor();
      assert.equal(sockets(visit).length > 0, transport === 'websocket');
    } finally {
      sample.kill();
      await once(sample, 'exit');
      await rm(folder, { recursive: true });
    }
  });
}
