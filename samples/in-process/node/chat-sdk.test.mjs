// What leaves a bot of the Chat SDK to Slack and to Teams.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';

import { createSlackAdapter } from '@chat-adapter/slack';
import { createTeamsAdapter } from '@chat-adapter/teams';

import { createBot } from '../chat-sdk.mjs';
import { backEnd, channel, listen, message, question, streamInfo } from './service.mjs';

const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };

/** Posts to the webhook of an adapter, and waits for all work of the bot. */
async function post(webhook, headers, body) {
  const work = [];
  const request = new Request('http://127.0.0.1/webhook', { method: 'POST', headers, body });
  const response = await webhook(request, { waitUntil: (task) => work.push(task) });
  assert.equal(response.status, 200, await response.text());
  await Promise.all(work);
}

/** The calls of Slack's Web API that a question leads to. */
async function askInSlack(t, text, event) {
  process.env.BACK_END = await backEnd(t);
  const calls = [];
  const apiUrl = await listen(t, (request, response, body) => {
    const method = new URL(request.url, 'http://127.0.0.1').pathname.slice(1);
    calls.push({ method, ...Object.fromEntries(new URLSearchParams(body)) });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, ts: `${calls.length}.0`, channel: 'C1', user_id: 'UBOT', user: { id: 'U1', name: 'ann' } }));
  });
  const signingSecret = 'secret';
  const slack = createSlackAdapter({ apiUrl: `${apiUrl}/`, botToken: 'xoxb-test', botUserId: 'UBOT', signingSecret, logger });
  const bot = createBot({ slack });
  const body = JSON.stringify({
    type: 'event_callback', team_id: 'T1', event_id: 'E1', event: { user: 'U1', ts: '1.0', text, ...event },
  });
  const time = String(Math.floor(Date.now() / 1000));
  const signature = `v0=${createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-slack-request-timestamp': time, 'x-slack-signature': signature };
  await post(bot.webhooks.slack, headers, body);
  return calls.filter(({ method }) => method.startsWith('chat.'));
}

// The SDK reads its own tokens: this one has the form of those of Entra ID, and no signature.
const jwt = [{ alg: 'none' }, { aud: 'bot', exp: 4102444800 }].map((part) => btoa(JSON.stringify(part))).join('.') + '.';

/** The activities that a question leads to in Teams. */
async function askInTeams(t, asked) {
  process.env.BACK_END = await backEnd(t);
  const service = await channel(t);
  const teams = createTeamsAdapter({
    appId: 'bot', appTenantId: 'tenant', apiUrl: service.url, token: () => jwt, webhookVerifier: () => true, logger,
  });
  const bot = createBot({ teams });
  await post(bot.webhooks.teams, { 'content-type': 'application/json' }, JSON.stringify(question(service.url, asked)));
  return service.sent.map(({ activity }) => activity);
}

const mention = { type: 'app_mention', channel: 'C1', channel_type: 'channel' };
const direct = { type: 'message', channel: 'D1', channel_type: 'im' };
const group = (text) => ({
  text: `<at>Bot</at> ${text}`,
  conversationType: 'groupChat',
  entities: [{ type: 'mention', mentioned: { id: 'bot', name: 'Bot' }, text: '<at>Bot</at>' }],
});
const listed =
  'Leave is 30 days [1], to be asked for in writing [2].\n\n' +
  '[1] Leave policy: https://hr.example/leave\n\n[2] Staff handbook, page 12: Leave is asked for in writing.';

test('a channel of Slack gets numbers that lead to their sources, and a list', async (t) => {
  const [call, ...others] = await askInSlack(t, '<@UBOT> whole', mention);
  assert.deepEqual([others.length, call.method, call.channel], [0, 'chat.postMessage', 'C1']);
  assert.equal(call.text, message('whole', 'slack').channelData.text);
  assert.ok(call.text.startsWith('Leave is 30 days <https://hr.example/leave|[1]>, to be asked for in writing [2].'), call.text);
  assert.ok(!call.text.includes('Old policy'));
});

test('a stream grows in a direct message of Slack', async (t) => {
  const calls = await askInSlack(t, 'stream', direct);
  assert.equal(calls.at(-1).markdown_text, listed);
  assert.ok(calls.length > 1);
});

test('a group chat of Teams gets numbers and the list of their sources', async (t) => {
  const [sent, ...others] = await askInTeams(t, group('whole'));
  assert.deepEqual([others.length, sent.type, sent.text, sent.textFormat], [0, 'message', listed, 'markdown']);
});

test('what citewire disarmed stays so', async (t) => {
  const { text } = message('sly', 'teams', { self_contained: true });
  assert.ok(!text.includes('<img'), text);
  const [sent] = await askInTeams(t, group('sly'));
  assert.equal(sent.text, text);
  const direct = await askInTeams(t, { text: 'sly' });
  assert.equal(direct.at(-1).text, text);
});

test('an answer without sources has no list', async (t) => {
  const [sent] = await askInTeams(t, group('bare'));
  assert.equal(sent.text, message('bare', 'teams').text);
  assert.ok(!sent.text.includes('http'));
});

for (const name of ['stream', 'late']) {
  test(`the answer "${name}" grows in a personal chat of Teams`, async (t) => {
    const sent = await askInTeams(t, { text: name });
    const [updates, final] = [sent.slice(0, -1), sent.at(-1)];
    assert.deepEqual([final.type, final.text, streamInfo(final).streamType], ['message', listed, 'final']);
    assert.ok(updates.length > 0 && updates.every(({ text }) => listed.startsWith(text)));
  });
}
