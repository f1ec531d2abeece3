// The service and the browser as child processes of the tests.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No name leads anywhere: what tries to leave fails, and is seen.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** A variable that `cargo xtask test` sets. */
export function fromEnvironment(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run these tests with \`cargo xtask test\``);
  return value;
}

/** What opens the routes for programs, and the conversations of everyone. */
export const API_KEY = 'the-api-key-of-the-browser-tests';
export const DIRECT_LINE_SECRET = 'the-secret-of-the-browser-tests';

/** Starts the service on a free port with a data directory of its own, and with more in its environment. */
export async function startService({ script }, environment = {}) {
  const data = await mkdtemp(join(tmpdir(), 'citewire-browser-'));
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CITEWIRE_'));
  const env = {
    ...Object.fromEntries(inherited),
    CITEWIRE_DATA_DIR: data,
    // Nobody answers unless a test says who.
    CITEWIRE_ASSISTANT: 'none',
    // All visits of the tests come from one address.
    CITEWIRE_LIMITS_PAGE_SESSIONS_PER_MINUTE: '0',
    CITEWIRE_API_KEY: API_KEY,
    CITEWIRE_DIRECT_LINE_SECRET: DIRECT_LINE_SECRET,
    ...(script && { CITEWIRE_WEBCHAT_JS: script }),
    ...environment,
  };
  const said = [];
  let running = await serve('127.0.0.1:0', env, said);
  const { url } = running;
  const end = async (signal) => {
    running.child.kill(signal);
    await running.gone;
  };
  return {
    url,
    /** What it has said on stderr so far, by lines. */
    said,
    /** Kills it and starts it again, at the same address and with the same data. */
    async killAndStart() {
      await this.kill();
      await this.startAgain();
    },
    kill: () => end('SIGKILL'),
    async startAgain() {
      running = await serve(new URL(url).host, env, said);
    },
    async stop() {
      await end('SIGTERM');
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** A process of the service that listens. */
async function serve(bind, env, said) {
  const child = spawn(fromEnvironment('CITEWIRE_BINARY'), ['serve', '--bind', bind], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit');
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const found = /citewire is listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line);
      if (found) resolve(found[1]);
    });
    child.once('error', reject);
    gone.then(() => reject(new Error(`the service ended before it listened:\n${said.join('\n')}`)));
  });
  return { child, gone, url };
}

/** Starts the browser that draws pages. */
export function startBrowser() {
  return launch('CITEWIRE_CHROMIUM');
}

/** Starts the browser that shows PDFs, too. */
export function startWholeBrowser() {
  return launch('CITEWIRE_WHOLE_CHROMIUM');
}

function launch(program) {
  return chromium.launch({ executablePath: fromEnvironment(program), args: CHROMIUM_FLAGS });
}
