// What leaves a bot of the Microsoft 365 Agents SDK over HTTP.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CloudAdapter } from '@microsoft/agents-hosting';

import { agent } from '../agents-sdk.mjs';
import { backEnd, channel, claims, listen, message, question, streamInfo, withoutStreamInfo } from './service.mjs';

/** The activities that reach the user who asks for an answer. */
async function ask(t, { refuse, ...asked }) {
  process.env.BACK_END = await backEnd(t);
  const service = await channel(t, refuse);
  const adapter = new CloudAdapter({});
  const failures = [];
  adapter.onTurnError = async (_, error) => failures.push(error);
  // The SDK waits between updates; a test need not.
  adapter.use(async (context, next) => {
    context.streamingResponse.setDelayInMs(0);
    await next();
  });
  const bot = await listen(t, async (request, response, body) => {
    request.body = JSON.parse(body);
    response.status = (code) => Object.assign(response, { statusCode: code });
    await adapter.process(request, response, (context) => agent.run(context));
  });
  const response = await fetch(bot, { method: 'POST', body: JSON.stringify(question(service.url, asked)) });
  assert.deepEqual([response.status, failures], [200, []]);
  return service.sent.map(({ activity }) => activity);
}

test('Web Chat gets reference links and claims, unchanged by the SDK', async (t) => {
  const [sent, ...others] = await ask(t, { text: 'whole', channelId: 'webchat' });
  assert.equal(others.length, 0);
  assert.equal(
    sent.text,
    'Leave is 30 days [1], to be asked for in writing [2].\n\n' +
      '[1]: https://hr.example/leave "Leave policy"\n[2]: cite:2 "Staff handbook, page 12"',
  );
  assert.deepEqual(claims(sent), [['1', 'Leave policy', 'https://hr.example/leave'], ['2', 'Staff handbook, page 12', undefined]]);
  const { entities, textFormat } = message('whole', 'webchat');
  assert.deepEqual(sent.entities, entities);
  assert.equal(sent.textFormat, textFormat);
  assert.equal(sent.replyToId, 'question');
});

test('Teams gets numbers and claims; a label of sensitivity arrives', async (t) => {
  const [sent, ...others] = await ask(t, { text: 'labelled' });
  assert.equal(others.length, 0);
  assert.equal(sent.text, 'Leave is 30 days [1], to be asked for in writing [2].');
  assert.deepEqual(claims(sent), [[1, 'Leave policy', 'https://hr.example/leave'], [2, 'Staff handbook, page 12', undefined]]);
  assert.deepEqual(sent.entities, message('labelled', 'teams').entities);
  assert.deepEqual([sent.entities[0].usageInfo.name, sent.entities[0]['@id']], ['Confidential', '']);
});

test('an answer without sources has no claims', async (t) => {
  const [sent] = await ask(t, { text: 'bare' });
  assert.deepEqual(claims(sent), []);
  assert.deepEqual(sent.entities, message('bare', 'teams').entities);
});

for (const channelId of ['msteams', 'webchat']) {
  test(`a stream grows in ${channelId} and ends with the message of the whole answer`, async (t) => {
    const sent = await ask(t, { text: 'stream', channelId });
    const [updates, final] = [sent.slice(0, -1), sent.at(-1)];
    assert.ok(updates.length > 0);
    for (const update of updates) {
      assert.deepEqual([update.type, streamInfo(update).streamType], ['typing', 'streaming']);
      assert.ok(final.text.startsWith(update.text), update.text);
    }
    const wanted = message('stream', channelId);
    assert.deepEqual([final.type, final.text, streamInfo(final).streamType], ['message', wanted.text, 'final']);
    assert.deepEqual(withoutStreamInfo(final), wanted.entities);
  });

  test(`sources that come late are cited in the last message of ${channelId}`, async (t) => {
    const sent = await ask(t, { text: 'late', channelId });
    const [updates, final] = [sent.slice(0, -1), sent.at(-1)];
    assert.ok(updates.length > 0 && updates.every(({ text }) => !text.includes('[')));
    const wanted = message('late', channelId);
    assert.deepEqual([final.text, streamInfo(final).streamType], [wanted.text, 'final']);
    assert.deepEqual(withoutStreamInfo(final), wanted.entities);
    assert.equal(claims(final).length, 2);
  });
}

test('Teams tells that an answer is written which it cannot show yet', async (t) => {
  const sent = await ask(t, { text: 'silent' });
  assert.deepEqual(sent.map((activity) => streamInfo(activity).streamType), ['informative', 'final']);
  assert.deepEqual([sent[1].text, claims(sent[1])], ['[1] says 30 days.', [[1, 'Leave policy', 'https://hr.example/leave']]]);
});

test('a chat that has no streams gets one message', async (t) => {
  const refuse = ({ type }) =>
    type === 'typing' && [403, { error: { code: 'BadArgument', message: 'BadArgument: Streaming api is not enabled' } }];
  const sent = await ask(t, { text: 'stream', conversationType: 'groupChat', refuse });
  assert.equal(sent.length, 1);
  assert.equal(streamInfo(sent[0]), undefined);
  assert.deepEqual(sent[0].entities, message('stream', 'teams').entities);
});

test('an update that fails does not cost the answer', async (t) => {
  const sent = await ask(t, { text: 'stream', refuse: ({ type }) => type === 'typing' && [500, {}] });
  assert.deepEqual([sent.length, sent[0].entities], [1, message('stream', 'teams').entities]);
});

test('a reader who stops the answer gets no more of it', async (t) => {
  const stopped = [403, { error: { code: 'ContentStreamNotAllowed', message: 'Content stream was canceled by user' } }];
  const sent = await ask(t, { text: 'stream', refuse: ({ type }) => type === 'typing' && stopped });
  assert.deepEqual(sent, []);
});

test('a message that does not continue the stream follows it', async (t) => {
  const sent = await ask(t, { text: 'long' });
  const [end, last] = sent.slice(-2);
  assert.deepEqual([streamInfo(end).streamType, streamInfo(last)], ['final', undefined]);
  assert.deepEqual([last.text, last.entities], [message('long', 'teams').text, message('long', 'teams').entities]);
});

test('Slack gets the form that Azure passes on', async (t) => {
  const [sent, ...others] = await ask(t, { text: 'stream', channelId: 'slack' });
  assert.equal(others.length, 0);
  assert.deepEqual(sent.channelData, message('stream', 'slack').channelData);
});
