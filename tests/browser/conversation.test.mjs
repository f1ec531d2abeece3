// The conversation itself: typed messages, other ways to connect, and what happens when the line breaks.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { RELEASE, Visit, badgeTexts, startBrowser, startService, visiting } from './harness.mjs';

let browser;
let service;
before(async () => {
  service = await startService(RELEASE);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});
const around = () => ({ browser, service });

const cited = (name) => ({
  text: `The ${name} answer[1].`,
  sources: [{ title: `The ${name} source`, url: `https://sources.example.com/${name}` }],
});

/** The messages' own words, oldest first, without badges, lists and times. */
const words = (visit) =>
  visit.messages().evaluateAll((all) =>
    all.map((message) => /The (\w+) answer/.exec(message.textContent)?.[1] ?? message.textContent),
  );

visiting(around, 'a typed message is taken, shown once, and answered', {}, async (visit) => {
  const box = visit.page.getByRole('textbox', { name: 'Message input box' });
  await box.fill('How long may I stay?');
  await box.press('Enter');
  await visit.message('Nothing behind this page answers questions yet').waitFor();
  const messages = visit.messages();
  assert.equal(await messages.count(), 2);
  assert.match(await messages.first().innerText(), /How long may I stay\?/);
  // Web Chat says so beside a message that the service did not send back.
  assert.doesNotMatch(await messages.first().innerText(), /send failed|sending|retry/i);
  assert.match(await messages.first().innerText(), /just now/i);
});

visiting(around, 'a typed message is answered each time', {}, async (visit) => {
  const box = visit.page.getByRole('textbox', { name: 'Message input box' });
  const answers = visit.message('Nothing behind this page answers questions yet');
  for (const count of [1, 2, 3]) {
    await box.fill(`Question ${count}`);
    await box.press('Enter');
    await answers.nth(count - 1).waitFor();
  }
  assert.equal(await visit.messages().count(), 6);
});

visiting(around, 'without a socket the client polls and gets the same message', { opened: false }, async (visit) => {
  const { page, url } = visit;
  await page.route(`${url}/blank`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><link rel="icon" href="data:,"><div id="chat"></div><script src="/page/webchat.js"></script>',
    }),
  );
  await page.goto(`${url}/blank`);
  visit.token = await page.evaluate(async () => {
    const session = await (await fetch('/page/session', { method: 'POST' })).json();
    const { WebChat } = window;
    const directLine = WebChat.createDirectLine({
      domain: `${location.origin}/v3/directline`,
      token: session.token,
      webSocket: false,
      pollingInterval: 250,
    });
    WebChat.renderWebChat({ directLine, userID: session.userId }, document.getElementById('chat'));
    return session.token;
  });
  for (const name of ['first', 'second']) {
    const { message } = await visit.show(cited(name), `The ${name} answer`);
    assert.deepEqual(await badgeTexts(message), ['[1]']);
  }
  assert.deepEqual(await words(visit), ['first', 'second']);
  const polls = visit.requests().filter((request) => request.includes('/activities?watermark='));
  assert.ok(polls.length > 1, 'it polled');
  assert.deepEqual(visit.requests().filter((request) => request.startsWith('ws')), []);
});

visiting(around, 'a socket cut in mid-conversation loses and doubles nothing', { opened: false }, async (visit) => {
  const sockets = [];
  await visit.page.routeWebSocket(/\/v3\/directline\//, (client) => {
    const server = client.connectToServer();
    sockets.push({ client, server });
  });
  await visit.open();
  await visit.show(cited('first'), 'The first answer');
  assert.equal(sockets.length, 1);

  await sockets[0].server.close({ code: 1001, reason: 'the test cuts the line' });
  await sockets[0].client.close({ code: 1001, reason: 'the test cuts the line' });
  // These two are delivered while nobody listens; the client comes back with the watermark it had.
  await visit.deliver(cited('second'));
  await visit.deliver(cited('third'));
  // The client waits between 3 and 15 s before it tries again.
  await visit.message('The third answer').waitFor({ timeout: 60_000 });
  assert.equal(sockets.length, 2);
  await visit.show(cited('fourth'), 'The fourth answer');
  assert.deepEqual(await words(visit), ['first', 'second', 'third', 'fourth']);
  await visit.page.getByText('Connected', { exact: true }).waitFor();
});

visiting(around, 'a new conversation starts empty and works', {}, async (visit) => {
  const { page } = visit;
  await visit.show(cited('first'), 'The first answer');
  const session = page.waitForResponse((response) => response.url().endsWith('/page/session'));
  await page.getByRole('button', { name: 'New conversation' }).click();
  visit.token = (await (await session).json()).token;
  await visit.message('The first answer').waitFor({ state: 'detached' });
  await page.getByText('Connected', { exact: true }).waitFor();
  await visit.show(cited('second'), 'The second answer');
  assert.deepEqual(await words(visit), ['second']);
});

visiting(around, "two readers do not see each other's conversation", {}, async (visit) => {
  const other = await Visit.begin(browser, service, {});
  try {
    await other.open();
    await visit.show(cited('first'), 'The first answer');
    await other.show(cited('second'), 'The second answer');
    assert.deepEqual(await words(visit), ['first']);
    assert.deepEqual(await words(other), ['second']);
    other.assertClean();
  } finally {
    await other.context.close();
  }
});
