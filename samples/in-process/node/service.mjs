// What a bot talks to in these tests: a back end that answers questions, and the service of a channel that takes what it sends.

import { createServer } from 'node:http';

import { convert } from '@citewire/core';

export const sources = [
  { title: 'Leave policy', url: 'https://hr.example/leave' },
  { title: 'Staff handbook, page 12', content: 'Leave is asked for in writing.' },
  { title: 'Old policy', url: 'https://hr.example/old' },
];
export const text = 'Leave is 30 days [1], to be asked for in writing [2].';

const events = (...list) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`);
const deltas = [{ delta: 'Leave is 30 days [1], ' }, { delta: 'to be asked for ' }, { delta: 'in writing [2].' }, { done: true }];

/** Bodies of answers by the question, as a list of pieces. */
export const answers = {
  whole: [JSON.stringify({ text, sources })],
  labelled: [JSON.stringify({ text, sources, label: { name: 'Confidential', description: 'Internal readers only' } })],
  // What an answer may not do: load an image, or hide where a link leads.
  sly: [JSON.stringify({ text: 'See <img src="https://hr.example/spy.png"> and [this][1] [1].', sources })],
  bare: [JSON.stringify({ text: 'I do not know [1].' })],
  stream: events({ sources }, ...deltas),
  // The sources come behind the text that cites them.
  late: events(...deltas.slice(0, 3), { sources }, { done: true }),
  // Its message is cut, so that it does not begin with the text shown last.
  long: events({ sources }, ...Array(12).fill({ delta: `${'Leave is 30 days [1]. '.repeat(200)}\n\n` }), { done: true }),
  // Here no text stands before the first number, so that nothing can be shown.
  silent: events({ delta: '[1] says 30 days.' }, { sources }, { done: true }),
};

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A server on a free port of 127.0.0.1; it ends with the test. */
export async function listen(test, handle) {
  const server = createServer(async (request, response) => {
    try {
      await handle(request, response, await body(request));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** The back end: the last word of a question is the name of an answer. A stream goes out piece by piece. */
export function backEnd(test) {
  return listen(test, async (_, response, question) => {
    const pieces = answers[question.trim().split(' ').at(-1)];
    response.writeHead(200, { 'content-type': pieces.length > 1 ? 'text/event-stream' : 'application/json' });
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    response.end();
  });
}

/** The service of a channel. `sent` has the bodies of the calls, in their order; `refuse` may answer a call with a status and a body. */
export async function channel(test, refuse = () => undefined) {
  const sent = [];
  const url = await listen(test, (request, response, text) => {
    const activity = JSON.parse(text);
    const refused = refuse(activity);
    response.setHeader('content-type', 'application/json');
    if (refused) return response.writeHead(refused[0]).end(JSON.stringify(refused[1]));
    sent.push({ method: request.method, path: request.url, activity });
    response.end(JSON.stringify({ id: `sent-${sent.length}` }));
  });
  return { url, sent };
}

/** What a user's channel posts to a bot. */
export const question = (url, { text, channelId = 'msteams', conversationType = 'personal', entities = [] }) => ({
  type: 'message',
  id: 'question',
  text,
  entities,
  channelId,
  serviceUrl: url,
  from: { id: 'user', name: 'Ann' },
  recipient: { id: 'bot', name: 'Bot' },
  conversation: { id: 'conversation', conversationType },
});

/** The message that citewire makes of an answer. */
export const message = (name, channel, options) =>
  convert(answers[name].join(''), { channel, options: { ...options, updates: 0 } }).activities.at(-1);

/** Number, name and address of each claim of an activity. */
export const claims = ({ entities }) =>
  entities
    .filter((entity) => entity.type === 'https://schema.org/Message')
    .flatMap(({ citation = [] }) => citation)
    .map(({ position, appearance }) => [position, appearance.name, appearance.url]);

export const streamInfo = ({ entities }) => entities.find(({ type }) => type === 'streaminfo');
export const withoutStreamInfo = ({ entities }) => entities.filter(({ type }) => type !== 'streaminfo');
