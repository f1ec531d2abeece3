// What every browser test stands on: the real service, a real browser, and a record of everything that went on.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { API_KEY, DIRECT_LINE_SECRET, fromEnvironment, startBrowser, startService } from './processes.mjs';

export { startBrowser, startService, startWholeBrowser } from './processes.mjs';

/** How long a whole test may take. */
const LIMIT_MS = 90_000;
/** How long the page may take for one thing that is waited for. */
const WAIT_MS = 20_000;

/** Messages of Web Chat itself that we know and cannot prevent. */
const KNOWN_CONSOLE = [
  // Its style library first adds an empty inline style element without the nonce; the styles themselves carry it.
  /^Applying inline style violates the following Content Security Policy directive/,
  // The page uses the release's names of options, two of which the prerelease has renamed.
  /^botframework-webchat: [`"]styleOptions\.(bubbleMaxWidth|hideUploadButton)[`"] (has been|is being) deprecated/,
];

/** The versions of Web Chat that answers are drawn with. */
export const RELEASE = { name: '4.18.1', script: fromEnvironment('CITEWIRE_WEBCHAT_RELEASE') };
export const PRERELEASE = {
  name: '4.18.1-main.20251101.54e519d',
  script: fromEnvironment('CITEWIRE_WEBCHAT_PRERELEASE'),
};

/** One reader at the page: a fresh browser context and what happened in it. */
export class Visit {
  #requests = [];
  #complaints = [];
  #service;
  /** Hosts besides the service that this visit may ask. */
  hosts = new Set();

  static async begin(browser, service, options) {
    const visit = new Visit();
    visit.#service = service;
    visit.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options });
    visit.context.setDefaultTimeout(WAIT_MS);
    visit.page = await visit.context.newPage();
    visit.context.on('request', (request) => visit.#requests.push(request.url()));
    visit.page.on('websocket', (socket) => visit.#requests.push(socket.url()));
    visit.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') visit.#complaints.push(message.text());
    });
    visit.page.on('pageerror', (error) => visit.#complaints.push(`uncaught: ${error.stack}`));
    return visit;
  }

  get url() {
    return this.#service.url;
  }

  /** Opens the page and waits until Web Chat is connected. */
  async open() {
    const session = this.page.waitForResponse((response) => response.url().endsWith('/page/session'));
    await this.page.goto(this.url);
    this.session = await (await session).json();
    this.token = this.session.token;
    this.conversation = this.session.conversationId;
    await this.page.getByText('Connected', { exact: true }).waitFor();
    return this;
  }

  /** Has the page that is opened next take part in the conversation of another visit. */
  async join({ session }) {
    await this.context.route('**/page/session', (route) => route.fulfill({ json: session }));
    return this;
  }

  /** Begins to send an answer: `send` sends an event of it, `end` the last one. */
  writing() {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const response = fetch(`${this.url}/v1/conversations/${this.conversation}/answers?from=citewire`, {
      method: 'POST',
      duplex: 'half',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'text/event-stream' },
      body: readable,
    });
    const send = (event) => writer.write(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    return {
      send,
      async end() {
        await send({ done: true });
        await writer.close();
        const answer = await response;
        const body = await answer.json();
        assert.equal(answer.status, 201, JSON.stringify(body));
        return body;
      },
    };
  }

  /** Converts an answer as a bot does that delivers the activities itself. */
  async convert(answer, options, from) {
    const { activities } = await this.#post('/v1/activities', API_KEY, { from, channel: 'web-chat', options, answer }, 200);
    return activities;
  }

  /** Says something in the conversation as a bot, and gives the id under which it is known. */
  async say(activity) {
    const path = `/v3/directline/conversations/${this.conversation}/activities`;
    const from = { id: 'bot', role: 'bot' };
    const { id } = await this.#post(path, DIRECT_LINE_SECRET, { ...activity, from }, 200);
    return id;
  }

  async #post(path, key, body, expected) {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, expected, text);
    return JSON.parse(text);
  }

  /** Sends an answer as a program on the page would, and gives what the service said about it. */
  async deliver(answer, from = 'citewire') {
    const [status, body] = await this.page.evaluate(
      async ([token, body]) => {
        const response = await fetch('/page/answers', {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return [response.status, await response.json()];
      },
      [this.token, { from, answer }],
    );
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  }

  /** The messages in the conversation, oldest first. */
  messages() {
    return this.page.getByRole('feed').locator('> article');
  }

  /** The one message that holds this text. */
  message(text) {
    return this.messages().filter({ hasText: text });
  }

  /** Delivers an answer and waits until its message is drawn. */
  async show(answer, text) {
    const result = await this.deliver(answer);
    const message = this.message(text);
    await message.waitFor();
    return { result, message };
  }

  requests() {
    return [...this.#requests];
  }

  /** Nothing but this service, and the hosts of this visit, was asked for anything, and nobody complained. */
  assertClean(expected = []) {
    const hosts = new Set([...this.hosts, new URL(this.url).host]);
    const foreign = this.#requests.filter((url) => /^(https?|wss?):/.test(url) && !hosts.has(new URL(url).host));
    assert.deepEqual(foreign, [], 'requests left the service');
    const known = [...KNOWN_CONSOLE, ...expected];
    assert.deepEqual(
      this.#complaints.filter((text) => !known.some((pattern) => pattern.test(text))),
      [],
      'the console has complaints',
    );
  }
}

/**
 * A test with a visit of its own, which has to end clean.
 *
 * `around` gives the running browser and service; `expected` are console messages that the test provokes.
 */
export function visiting(around, name, { expected = [], opened = true, ...options }, body) {
  test(name, { timeout: LIMIT_MS }, async () => {
    const { browser, service } = around();
    const visit = await Visit.begin(browser, service, options);
    try {
      if (opened) await visit.open();
      await body(visit);
      visit.assertClean(expected);
    } finally {
      await visit.context.close();
    }
  });
}

/**
 * Tests in each version of Web Chat, with a browser and a service for all of them; `body` gets a function that gives both.
 *
 * `environment` gives what the service finds in its environment besides.
 */
export function inEachVersion(title, body, environment = () => ({})) {
  for (const version of [RELEASE, PRERELEASE]) {
    describe(`${title} ${version.name}`, () => {
      let browser;
      let service;
      before(async () => {
        service = await startService(version, environment());
        browser = await startBrowser();
      });
      after(async () => {
        await browser?.close();
        await service?.stop();
      });
      body(() => ({ browser, service }), version);
    });
  }
}

/** The badges in a message: the marks in the text, without the list below it. */
export function badges(message) {
  return message.locator('.webchat__render-markdown__pure-identifier');
}

/** The entries of the list of references. */
export function entries(message) {
  return message.locator('.webchat__link-definitions').getByRole('listitem');
}

/** What the badges show, with the brackets that only style sheets draw. */
export function badgeTexts(message) {
  return badges(message).evaluateAll((all) =>
    all.map((badge) => {
      const drawn = (side) => getComputedStyle(badge, side).content.replaceAll('"', '');
      return drawn('::before') + badge.textContent.replaceAll('\u200b', '').trim() + drawn('::after');
    }),
  );
}
