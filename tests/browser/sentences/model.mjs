// A model with chat completions, which says what the tests want and cites the passage that holds it.

import { once } from 'node:events';
import { createServer } from 'node:http';

const letters = (text) => text.replace(/[^\p{L}\p{N}]/gu, '');

export class Model {
  #sayings = new Map();
  #server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { messages } = JSON.parse(Buffer.concat(parts));
    const message = { role: 'assistant', content: this.#answer(messages) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
  });

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** What an assistant needs to be answered by this model. */
  get settings() {
    return { upstream: { kind: 'openai', url: `${this.url}/v1`, model: 'tiny' } };
  }

  /** Has it say something when it is asked for a sentence: `[n]` stands for the number of the passage that holds that. */
  says(sentence, saying) {
    this.#sayings.set(sentence, saying);
  }

  #answer(messages) {
    const question = messages.at(-1).content;
    const [sentence, saying] = [...this.#sayings].find(([asked]) => question.includes(asked)) ?? [];
    if (!sentence) return `I do not know: ${question}`;
    const listed = messages.map(({ content }) => content).join('\n').split(/^\[(\d+)\] \(Source/m);
    const at = listed.findIndex((text, place) => place > 0 && place % 2 === 0 && letters(text).includes(letters(sentence)));
    return at < 0 ? `No passage holds it: ${sentence}` : saying.replace('[n]', () => `[${listed[at - 1]}]`);
  }
}
