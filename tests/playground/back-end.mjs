// The back end of an assistant whose answers a test writes, piece by piece, in citewire's own format.

import { once } from 'node:events';
import { createServer } from 'node:http';

/** How long a test waits for a question that must come. */
const PATIENCE_MS = 20_000;

/** Listens on a free port of 127.0.0.1. */
export async function startBackEnd() {
  const waiting = [];
  const asked = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { question, messages } = JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const asking = {
      question,
      messages,
      /** Sends the next event of the answer. */
      send: (event) => response.write(`data: ${JSON.stringify(event)}\n\n`),
      /** Sends these events, and the sign that the answer is whole. */
      end(...events) {
        for (const event of [...events, { done: true }]) asking.send(event);
        response.end();
      },
      /** Closes the connection in the middle of the answer. */
      breakOff: () => response.destroy(),
    };
    const waiter = waiting.shift();
    if (waiter) waiter(asking);
    else asked.push(asking);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** The next question, which the test has to answer. */
    asked: () =>
      new Promise((resolve, reject) => {
        if (asked.length > 0) return resolve(asked.shift());
        const timer = setTimeout(() => reject(new Error('no question came')), PATIENCE_MS);
        waiting.push((asking) => {
          clearTimeout(timer);
          resolve(asking);
        });
      }),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
