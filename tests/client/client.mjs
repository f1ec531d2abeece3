// The client of Web Chat, botframework-directlinejs, driven from outside: its settings are the first argument, as JSON;
// commands are lines of JSON on stdin, and what happens are lines of JSON on stdout.
//
//   { "do": "post", "activity": { … } }     { "posted": id | "retry" } or { "refused": status }
//   { "do": "cut" }                         ends the newest socket as a lost network does
//   { "do": "renew" }                       the 15 minutes are over, after which the client renews its token
//   { "do": "end" }                         the client's own end
//
// It also tells { "status": n }, { "activity": { … } } and each new { "token": … }. The end of stdin ends the process.

import { createInterface } from 'node:readline';
import { JSDOM } from 'jsdom';

const settings = JSON.parse(process.argv[2]);

// What a browser has and Node.js has not, or has otherwise. The page is somewhere else than the server: CORS counts.
const { window } = new JSDOM('', { url: 'http://page.example/' });
const sockets = [];
class Socket extends window.WebSocket {
  constructor(url) {
    super(url);
    sockets.push(this);
  }
}
Object.assign(globalThis, {
  Blob: window.Blob,
  FormData: window.FormData,
  WebSocket: Socket,
  XMLHttpRequest: window.XMLHttpRequest,
});

// The client waits 3 to 15 s before it connects again. Where time is quick, a second
// of it is a millisecond, on the clock as well; then what it would give up after 20 s of its own has to be longer.
const { setInterval: repeat, setTimeout: later } = globalThis;
const pace = settings.quick ? 1_000 : 1;
if (settings.quick) {
  const { now } = Date;
  const begun = now();
  Date.now = () => begun + (now() - begun) * pace;
  settings.timeout = 20_000 * pace;
}
const wanted = wait => (wait >= 1_000 ? wait / pace : wait);
let renew;
globalThis.setTimeout = (work, wait, ...rest) => later(work, wanted(wait), ...rest);
globalThis.setInterval = (work, wait, ...rest) => {
  // It has one clock of 15 minutes.
  if (wait === 900_000) renew = () => work(...rest);
  return repeat(work, wanted(wait), ...rest);
};

const { DirectLine } = await import('botframework-directlinejs');

const tell = what => process.stdout.write(`${JSON.stringify(what)}\n`);
const client = new DirectLine(settings);
client.connectionStatus$.subscribe(status => tell({ status }));
client.activity$.subscribe(
  activity => tell({ activity }),
  error => tell({ failed: String(error?.status ?? error?.message ?? error) })
);

const commands = {
  post: ({ activity }) =>
    client.postActivity(activity).subscribe(
      posted => tell({ posted: posted ?? null }),
      error => tell({ refused: error?.status ?? 0 })
    ),
  cut: () => {
    const socket = sockets.at(-1);
    tell({ cut: socket?.readyState ?? null });
    socket?.close();
  },
  renew: () => renew(),
  end: () => client.end(),
};

let known = client.token;
repeat(() => client.token !== known && tell({ token: (known = client.token) }), 5);

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  commands[command.do](command);
}
process.exit(0);
