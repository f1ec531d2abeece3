// A bot that says what a test hands it, letter by letter: the emulator's own checks and drawing are what is looked at.

import { once } from 'node:events';
import { createServer } from 'node:http';

/** Listens on a free port of 127.0.0.1. `met` gives the first conversation in which the bot was told something. */
export async function startScriptedBot() {
  let meet;
  const met = new Promise((resolve) => (meet = resolve));
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end();
    if (request.method === 'POST') meet(JSON.parse(Buffer.concat(chunks).toString()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Sends an activity into the conversation, and gives the status and the code of the answer. */
    async say(activity) {
      const { serviceUrl, conversation, recipient, from } = await met;
      const path = `${serviceUrl.replace(/\/$/, '')}/v3/conversations/${encodeURIComponent(conversation.id)}/activities`;
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ conversation, from: recipient, recipient: from, ...activity }),
      });
      const text = await response.text();
      return { status: response.status, id: /"id":"([^"]+)"/.exec(text)?.[1] };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
