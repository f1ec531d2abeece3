// Serves page.html, and gives it tokens for the chat at POST /token. The guide is docs/start/embed.md.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { CITEWIRE_URL, CITEWIRE_DIRECT_LINE_SECRET, SITE = 'http://127.0.0.1:8080' } = process.env;
// Put here how your site knows who is signed in, and give nobody else a token.
const signedIn = (request) => ({ id: 'dl_ann', name: 'Ann' });

async function tokenFor(user) {
  const headers = { authorization: `Bearer ${CITEWIRE_DIRECT_LINE_SECRET}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ user, trustedOrigins: [SITE] });
  const answer = await fetch(`${CITEWIRE_URL}/v3/directline/tokens/generate`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`citewire answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
}

createServer(async (request, response) => {
  try {
    const isToken = request.method === 'POST' && request.url === '/token';
    const [type, text] = isToken ? ['application/json', await tokenFor(signedIn(request))] : ['text/html', await readFile('page.html')];
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  } catch (error) {
    console.error(error.message);
    response.writeHead(502, { 'content-type': 'application/json' }).end('{"detail": "There is no token for the chat at the moment."}');
  }
}).listen(new URL(SITE).port, new URL(SITE).hostname, () => console.log(`Open ${SITE}/page.html`));
