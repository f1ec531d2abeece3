// Makes the samples of the Vercel AI SDK again, with its own serializers and invented content.
//
//     node write.mjs FOLDER
//
// The provider of OpenAI reads the response in tea.json; a mock model and a writer of the SDK make the other samples. What
// differs from run to run (ids, times) is replaced.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createOpenAI } from '@ai-sdk/openai';
import {
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateText,
  readUIMessageStream,
  streamText,
  toUIMessageStream,
} from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';

const folder = process.argv[2];
const tea = JSON.parse(readFileSync(new URL('tea.json', import.meta.url), 'utf8'));
const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
};
const response = { id: 'resp_2', created_at: 1, model: 'gpt-tea', output: tea.answer, usage };

function* events() {
  const [message] = tea.answer;
  const at = { item_id: message.id, output_index: 0, content_index: 0 };
  yield { type: 'response.created', response: { ...response, output: [] } };
  yield { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } };
  for (const delta of tea.deltas) yield { type: 'response.output_text.delta', ...at, delta };
  for (const [annotation_index, annotation] of message.content[0].annotations.entries()) {
    yield { type: 'response.output_text.annotation.added', ...at, annotation_index, annotation };
  }
  yield { type: 'response.output_item.done', output_index: 0, item: message };
  yield { type: 'response.completed', response };
}

const sse = events => events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('');

const openai = createOpenAI({
  apiKey: 'none',
  fetch: async (_, { body }) =>
    JSON.parse(body).stream
      ? new Response(sse([...events()]), { headers: { 'content-type': 'text/event-stream' } })
      : Response.json(response),
});

/** A model of another provider, which counts as JavaScript does. */
function spans() {
  const text = '🍵 Green tea is not oxidised. 緑茶は不発酵茶。';
  const cited = (words, source, citedText) => ({
    source: { type: 'source', ...source },
    startIndex: text.indexOf(words),
    endIndex: text.indexOf(words) + words.length,
    citedText,
  });
  const green = { sourceType: 'url', id: 'g1', url: 'https://tea.example.org/green', title: 'Green tea' };
  const atlas = { sourceType: 'document', id: 'd1', mediaType: 'application/pdf', title: 'Tea atlas', filename: 'atlas.pdf' };
  const citations = [
    cited('Green tea is not oxidised.', green, 'Green leaves are heated at once.'),
    cited('緑茶は不発酵茶', atlas),
  ];
  const chunks = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't1' },
    ...text.split(/(?<= )/).map(delta => ({ type: 'text-delta', id: 't1', delta })),
    { type: 'text-end', id: 't1', citations },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 9 }, outputTokens: { total: 7 } },
    },
  ];
  return new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
}

async function collected(stream) {
  const all = [];
  for await (const part of stream) all.push(part);
  return all;
}

/** Random ids get numbers, and times go. */
function steady() {
  const known = new Map();
  return (name, value) => {
    if (name === 'performance') return {};
    if (name === 'timestamp') return '2026-11-26T00:00:00.000Z';
    if (typeof value !== 'string' || !/^(id|callId|sourceId|messageId)$/.test(name)) return value;
    if (!/^(call-|aitxt-)?[A-Za-z0-9]{16,24}$/.test(value)) return value;
    if (!known.has(value)) known.set(value, `r${known.size + 1}`);
    return known.get(value);
  };
}

function write(sample, name, text) {
  mkdirSync(`${folder}/vercel-ai-sdk/${sample}`, { recursive: true });
  writeFileSync(`${folder}/vercel-ai-sdk/${sample}/${name}`, text);
}

const json = value => `${JSON.stringify(value, steady(), 2)}\n`;
const lines = values => values.map((replacer => value => `${JSON.stringify(value, replacer)}\n`)(steady())).join('');
const ask = model => ({ model, prompt: tea.question });
const toUi = model => toUIMessageStream({ stream: streamText(ask(model)).stream, sendSources: true });

async function body(stream) {
  const text = await createUIMessageStreamResponse({ stream }).text();
  const replacer = steady();
  return text.replaceAll(/^data: (\{.*\})$/gm, (_, event) => `data: ${JSON.stringify(JSON.parse(event), replacer)}`);
}

async function message(stream) {
  return (await collected(readUIMessageStream({ message: { id: 'm2', role: 'assistant', parts: [] }, stream }))).at(-1);
}

const user = (id, text) => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const earlier = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Hello!', state: 'done' }] };
const numbered = createUIMessageStream({
  execute({ writer }) {
    const url = (sourceId, name, title) => ({ type: 'source-url', sourceId, url: `https://tea.example.org/${name}`, title });
    writer.write({ type: 'start', messageId: 'm2' });
    writer.write(url('1', 'black', 'Black tea'));
    writer.write(url('2', 'white', 'White tea'));
    writer.write({ type: 'text-start', id: 't1' });
    for (const delta of ['White tea is ', 'only dried [', '2]. 紅茶は発酵茶 [1]。']) {
      writer.write({ type: 'text-delta', id: 't1', delta });
    }
    writer.write({ type: 'text-end', id: 't1' });
    writer.write({ type: 'finish' });
  },
});

const gpt = openai('gpt-tea');
write('citations', 'input.json', json(await message(toUi(gpt))));
write('citations-stream', 'input.sse', await body(toUi(gpt)));
write('result', 'input.json', json(await generateText(ask(gpt))));
write('server-stream', 'input.jsonl', lines(await collected(streamText(ask(spans())).stream)));
write('chat', 'input.json', json([user('q1', 'Hi'), earlier, user('q2', tea.question), await message(toUi(spans()))]));
write('numbered', 'input.sse', await body(numbered));
