// What leaves a bot of the Teams SDK over HTTP.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { before, test } from 'node:test';


import { backEnd, channel, claims, message, question, streamInfo, withoutStreamInfo } from './service.mjs';

let bot;
before(async () => {
  process.env.DANGEROUSLY_ALLOW_UNAUTHENTICATED_REQUESTS = 'true';
  process.env.LOG_LEVEL = 'error';
  const { app } = await import('../teams-sdk.mjs');
  await app.initialize();
  const server = createServer(app.server.adapter.express);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  bot = `http://127.0.0.1:${server.address().port}/api/messages`;
});

/** The activities that reach the user who asks for an answer. */
async function ask(t, asked) {
  process.env.BACK_END = await backEnd(t);
  const service = await channel(t);
  const response = await fetch(bot, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(question(service.url, asked)),
  });
  assert.equal(response.status, 200, await response.text());
  return service.sent.map(({ activity }) => activity);
}

test('a whole answer has its numbers, claims and label, unchanged by the SDK', async (t) => {
  const [sent, ...others] = await ask(t, { text: 'labelled' });
  assert.equal(others.length, 0);
  assert.equal(sent.text, 'Leave is 30 days [1], to be asked for in writing [2].');
  assert.deepEqual(claims(sent), [[1, 'Leave policy', 'https://hr.example/leave'], [2, 'Staff handbook, page 12', undefined]]);
  const { entities, textFormat } = message('labelled', 'teams');
  assert.deepEqual([sent.entities, sent.textFormat], [entities, textFormat]);
  assert.deepEqual([sent.entities[0].usageInfo.name, sent.entities[0]['@id']], ['Confidential', '']);
});

test('an answer without sources has no claims', async (t) => {
  const [sent] = await ask(t, { text: 'bare' });
  assert.deepEqual(claims(sent), []);
  assert.deepEqual(sent.entities, message('bare', 'teams').entities);
});

for (const [name, kind] of [['stream', 'streaming'], ['late', 'streaming'], ['silent', 'informative']]) {
  test(`the answer "${name}" is streamed in a personal chat, with its claims at the end`, async (t) => {
    const sent = await ask(t, { text: name });
    const [updates, final] = [sent.slice(0, -1), sent.at(-1)];
    assert.equal(streamInfo(updates[0]).streamType, kind);
    const shown = updates.filter((update) => streamInfo(update).streamType === 'streaming');
    for (const { type, text } of shown) {
      assert.equal(type, 'typing');
      assert.ok(final.text.startsWith(text), text);
    }
    const wanted = message(name, 'teams');
    assert.deepEqual([final.type, final.text, streamInfo(final).streamType], ['message', wanted.text, 'final']);
    assert.deepEqual([withoutStreamInfo(final), final.textFormat], [wanted.entities, wanted.textFormat]);
    assert.equal(claims(final).length, name === 'silent' ? 1 : 2);
  });
}

test('a group chat gets one message', async (t) => {
  const [sent, ...others] = await ask(t, { text: 'stream', conversationType: 'groupChat' });
  assert.equal(others.length, 0);
  assert.deepEqual([sent.text, sent.entities], [message('stream', 'teams').text, message('stream', 'teams').entities]);
});

test('a message that does not continue the stream follows it', async (t) => {
  const sent = await ask(t, { text: 'long' });
  const [end, last] = sent.slice(-2);
  assert.deepEqual([streamInfo(end).streamType, streamInfo(last)], ['final', undefined]);
  assert.deepEqual([last.text, last.entities], [message('long', 'teams').text, message('long', 'teams').entities]);
});
