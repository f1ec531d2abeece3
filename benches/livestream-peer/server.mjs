// What a bot team writes by hand: a question on a WebSocket, the back end by `fetch`, markers by a regular expression, the text
// so far at most once an interval, and the sources at the end. For `benches/livestreams.sh`.
//
//     node server.mjs UPSTREAM_URL INTERVAL_MS

import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const [upstream, interval] = [process.argv[2], Number(process.argv[3])];
const server = createServer((_, response) => response.writeHead(404).end());
const sockets = new WebSocketServer({ server });

sockets.on('connection', (socket) => {
  socket.on('message', (question) => answer(socket, question.toString()).catch(() => socket.close(1011)));
});

async function answer(socket, question) {
  const response = await fetch(upstream, { method: 'POST', body: JSON.stringify({ question }) });
  let [text, sources, rest, shownAt, timer] = ['', [], '', 0, undefined];
  const rewrite = () => text.replace(/\[(\d+)\]/g, (marker, number) => (sources[number - 1] ? `[${number}]` : marker));
  const activity = (type) => {
    const definitions = sources.map((source, at) => `[${at + 1}]: ${source.url} "${source.title}"`).join('\n');
    return JSON.stringify({ activities: [{ type, text: `${rewrite()}\n\n${definitions}` }] });
  };
  const show = () => {
    timer = undefined;
    shownAt = performance.now();
    socket.send(activity('typing'));
  };
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + bytes).split('\n');
    rest = lines.pop();
    for (const line of lines.filter((line) => line.startsWith('data: '))) {
      const event = JSON.parse(line.slice(6));
      if (event.sources) sources = sources.concat(event.sources);
      if (event.delta) text += event.delta;
    }
    if (text) timer ??= setTimeout(show, Math.max(0, shownAt + interval - performance.now()));
  }
  clearTimeout(timer);
  socket.send(activity('message'));
}

server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
