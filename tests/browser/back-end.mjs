// A back end in citewire's own format, whose answers the tests write.

import { once } from 'node:events';
import { createServer } from 'node:http';

export class BackEnd {
  #waiting = [];
  #server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
    const end = () => {
      send({ done: true });
      response.end();
    };
    this.#waiting.shift()?.({ path: request.url, send, end });
  });

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** The next question: `path` is where it was asked, `send` sends an event of its answer, `end` the last one. */
  asked() {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
