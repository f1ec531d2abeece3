// A Redis server, which keeps nothing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.mjs';

export async function startRedis() {
  const port = await freePort();
  const options = ['--bind', '127.0.0.1', '--port', port, '--save', ''];
  const child = spawn('redis-server', options, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'ignore'] });
  const gone = once(child, 'exit');
  await new Promise((resolve, reject) => {
    const said = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      if (line.includes('Ready to accept connections')) resolve();
    });
    child.once('error', reject);
    gone.then(() => reject(new Error(`redis-server ended before it was ready:\n${said.join('\n')}`)));
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
