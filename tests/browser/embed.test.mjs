// The chat in pages of another site: the script, its settings, and what it says when something is wrong.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after, before } from 'node:test';
import { RELEASE, startBrowser, startService, visiting } from './harness.mjs';
import { DIRECT_LINE_SECRET } from './processes.mjs';

const QUESTION = 'What happens to a marker that names no source?';
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
