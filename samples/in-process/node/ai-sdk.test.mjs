// What a route of the AI SDK sends to its page, and what the page reads of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { convert } from '@citewire/core';
import { generateText, parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema } from 'ai';
import { MockLanguageModelV4, MockProviderV4, simulateReadableStream } from 'ai/test';

import { cite, POST } from '../ai-sdk.mjs';
import { claims } from './service.mjs';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage };
const leave = { type: 'source', sourceType: 'url', id: '1', url: 'https://hr.example/leave', title: 'Leave policy' };
const handbook = {
  type: 'source', sourceType: 'document', id: '2', mediaType: 'application/pdf', title: 'Staff handbook', filename: 'handbook.pdf',
};
const old = { type: 'source', sourceType: 'url', id: '3', url: 'https://hr.example/old', title: 'Old policy' };
const words = (...deltas) => [
  { type: 'text-start', id: 't' },
  ...deltas.map((delta) => ({ type: 'text-delta', id: 't', delta })),
  { type: 'text-end', id: 't' },
];
const text = words('Leave is 30 days [1], ', 'to be asked for ', 'in writing [2].');
const cited =
  'Leave is 30 days [1], to be asked for in writing [2].\n\n' +
  '[1]: https://hr.example/leave "Leave policy"\n[2]: cite:2 "Staff handbook"';
const both = [['1', 'Leave policy', 'https://hr.example/leave'], ['2', 'Staff handbook', undefined]];

/** The chunks that the route sends for these parts of a model, and the message that a page makes of them. */
async function ask(...parts) {
  const chunks = [{ type: 'stream-start', warnings: [] }, ...parts];
  const model = new MockLanguageModelV4({
    doStream: async () => ({ stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }),
  });
  globalThis.AI_SDK_DEFAULT_PROVIDER = new MockProviderV4({ languageModels: { 'openai/gpt-5': model } });
  const messages = [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'How long is leave?' }] }];
  const response = await POST(new Request('http://127.0.0.1/', { method: 'POST', body: JSON.stringify({ messages }) }));
  const [sent, failed] = [[], []];
  let message;
  const read = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema }).pipeThrough(
    new TransformStream({
      transform(result, controller) {
        assert.ok(result.success, String(result.error));
        sent.push(result.value);
        controller.enqueue(result.value);
      },
    }),
  );
  const states = readUIMessageStream({ stream: read, onError: (error) => failed.push(error.message) });
  for await (const state of states) message = state;
  return { sent, message, failed };
}

const texts = ({ parts }) => parts.filter(({ type }) => type === 'text').map((part) => part.text);
const data = ({ parts }) => parts.find(({ type }) => type === 'data-cited').data;

test('text and sources become text with links, piece by piece, and a cited message', async () => {
  const { sent, message } = await ask(leave, handbook, old, ...text, finish);
  assert.deepEqual(texts(message), [cited]);
  assert.ok(sent.filter(({ type }) => type === 'text-delta').length > 2);
  assert.deepEqual(sent.filter(({ type }) => type.startsWith('source-') || type === 'reset-step'), []);
  assert.deepEqual(claims(data(message)), both);
  assert.equal(data(message).text, cited);
  assert.deepEqual(sent.slice(-2).map(({ type }) => type), ['data-cited', 'finish']);
});

test('sources that come behind the text are cited, and what else the step has stays', async () => {
  const thought = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r' },
  ];
  const { sent, message } = await ask(...thought, ...text, leave, handbook, finish);
  assert.deepEqual(texts(message), [cited]);
  assert.deepEqual(claims(data(message)), both);
  assert.deepEqual(message.parts.filter(({ type }) => type === 'reasoning').map((part) => part.text), ['Hm.']);
  assert.equal(sent.filter(({ type }) => type === 'reset-step').length, 1);
});

test('an answer without sources has no links and no claims', async () => {
  const { message } = await ask(...words('I do not know.'), finish);
  assert.deepEqual([texts(message), claims(data(message))], [['I do not know.'], []]);
});

test('a whole result is an answer, too', async () => {
  const content = [leave, handbook, { type: 'text', text: 'Leave is 30 days [1], to be asked for in writing [2].' }];
  const model = new MockLanguageModelV4({ doGenerate: { content, finishReason: finish.finishReason, usage, warnings: [] } });
  const { activities } = convert(await generateText({ model, prompt: 'How long is leave?' }));
  assert.deepEqual([activities[0].text, claims(activities[0])], [cited, both]);
});

test('an answer that breaks off keeps its text and links', async (t) => {
  t.mock.method(console, 'error', () => {});
  const { message, failed } = await ask(leave, ...text.slice(0, 2), { type: 'error', error: new Error('gone') });
  assert.equal(failed.length, 1);
  assert.deepEqual(texts(message), ['Leave is 30 days [1],\n\n[1]: https://hr.example/leave "Leave policy"']);
});

/** What a page makes of chunks behind `cite`. */
async function page(...chunks) {
  const stream = simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }).pipeThrough(cite());
  let message;
  for await (const state of readUIMessageStream({ stream, terminateOnError: true })) message = state;
  return message;
}

const tool = { type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: { words: 'leave' } };
const chunks = words('Leave is 30 days [1].');

test('a tool of an earlier step stays, and a message without text gets none', async () => {
  const found = { type: 'source-url', sourceId: '1', url: leave.url, title: leave.title };
  const step = [{ type: 'start-step' }, tool, { type: 'finish-step' }];
  const last = [{ type: 'start-step' }, ...chunks, found, { type: 'finish-step' }];
  const message = await page({ type: 'start' }, ...step, ...last, { type: 'finish' });
  const kinds = ['step-start', 'tool-search', 'step-start', 'text', 'data-cited'];
  assert.deepEqual(message.parts.map(({ type }) => type), kinds);
  assert.equal(texts(message)[0], 'Leave is 30 days [1].\n\n[1]: https://hr.example/leave "Leave policy"');
  const bare = await page({ type: 'start' }, ...step, { type: 'finish' });
  assert.deepEqual(bare.parts.map(({ type }) => type), ['step-start', 'tool-search']);
});

test('an answer that its reader stops ends with its links', async () => {
  const found = { type: 'source-url', sourceId: '1', url: leave.url, title: leave.title };
  const message = await page({ type: 'start' }, { type: 'start-step' }, found, ...chunks.slice(0, 2), { type: 'abort' });
  assert.equal(texts(message)[0], 'Leave is 30 days [1].\n\n[1]: https://hr.example/leave "Leave policy"');
});
