// Microsoft 365 Agents Playground as a child process: Teams' emulator, offline, in a folder of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../browser/free-port.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Starts the emulator in front of a bot. */
export async function startPlayground(bot, { channel = 'msteams', more = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'citewire-playground-'));
  const log = join(folder, 'playground.log');
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      ...['--require', here('loopback.cjs'), here('node_modules/@microsoft/m365agentsplayground/cli.js'), 'start'],
      ...['-e', `${bot}/api/messages`, '-c', channel, '-p', String(port), '--disable-telemetry'],
      ...['--service-url', `http://127.0.0.1:${port}/_connector`, ...more],
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        TEAMSAPPTESTER_BROWSER: 'none',
        M365_AGENTS_PLAYGROUND_LOGFILE: log,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const gone = once(child, 'exit');
  const said = [];
  const stop = async () => {
    child.kill('SIGKILL');
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  const listening = await new Promise((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        said.push(line);
        const found = /Listening on (\d+)/.exec(line);
        if (found) resolve(Number(found[1]));
      });
    }
    child.once('error', reject);
    gone.then(() => reject(new Error(`the emulator ended before it listened:\n${said.join('\n')}`)));
  });
  if (listening !== port) {
    await stop();
    throw new Error(`the emulator took port ${listening} in place of ${port}, which somebody else has taken`);
  }
  return { url: `http://127.0.0.1:${port}/`, log: () => readFile(log, 'utf8'), stop };
}
