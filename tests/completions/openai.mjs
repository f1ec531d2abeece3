// The official client of OpenAI, driven from outside: what it is to do is the first argument, as JSON, and what it tells is
// one line of JSON on stdout.
//
//   { "url": …, "key": …, "method": "create" | "stream" | "models" | "model", "request": … }
//
// It tells { "answer": … }, { "chunks": [ … ] }, { "models": [ … ] } or { "error": { kind, status, code, message } }.

import OpenAI from 'openai';

const { url, key, method, request } = JSON.parse(process.argv[2]);
const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 });

const methods = {
  async create() {
    const answer = await client.chat.completions.create(request);
    if (!request.stream) return { answer };
    const chunks = [];
    for await (const chunk of answer) chunks.push(chunk);
    return { chunks };
  },
  async stream() {
    return { answer: await client.chat.completions.stream(request).finalChatCompletion() };
  },
  async models() {
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    return { models };
  },
  async model() {
    return { answer: await client.models.retrieve(request) };
  },
};

let told;
try {
  told = await methods[method]();
} catch (error) {
  const { status = null, code = null, message } = error;
  told = { error: { kind: error.constructor.name, status, code, message } };
}
process.stdout.write(`${JSON.stringify(told)}\n`);
