// citewire with one assistant whose documents are in a bucket.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A variable that `cargo xtask test` sets. */
export function fromEnvironment(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run these tests with \`cargo xtask test buckets\``);
  return value;
}

/** Documents are read within this time, in ms. */
const PATIENCE = 20_000;

const API_KEY = 'the-api-key-of-the-bucket-tests';

/** Starts the service. `documents` is the section of the assistant `hr`; `secret` is what `BUCKET_KEY` holds. */
export async function startService(documents, secret, mode = 'public') {
  const data = await mkdtemp(join(tmpdir(), 'citewire-buckets-'));
  const assistants = { hr: { citation_link_mode: mode, documents: { bucket_key_env: 'BUCKET_KEY', ...documents } } };
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CITEWIRE_'));
  const child = spawn(fromEnvironment('CITEWIRE_BINARY'), ['serve', '--bind', '127.0.0.1:0'], {
    env: {
      ...Object.fromEntries(inherited),
      BUCKET_KEY: secret,
      CITEWIRE_API_KEY: API_KEY,
      CITEWIRE_ASSISTANTS: JSON.stringify(assistants),
      CITEWIRE_DATA_DIR: data,
      CITEWIRE_EGRESS_TOTAL_SECONDS: '2',
      CITEWIRE_LOG: 'citewire=info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'exit');
  const lines = [];
  const waiting = new Set();
  const read = (stream) =>
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  read(child.stdout);
  read(child.stderr);
  /** The first line that matches, as soon as it is written. */
  const said = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.map((line) => pattern.exec(line)).find(Boolean);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      gone.then(() => reject(new Error(`the service ended and has not said ${pattern}:\n${lines.join('\n')}`)));
      look();
    });
  const [, url] = await said(/citewire is listening on (http:\S+)/);
  const call = (path, body, method = body ? 'POST' : 'GET') =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
  return {
    said,
    call,
    /** Asks until the documents are read; the text and the sources. */
    async ask(question) {
      const begun = Date.now();
      while (Date.now() - begun < PATIENCE) {
        const messages = [{ role: 'user', content: question }];
        const response = await call('/v1/chat/completions', { model: 'hr', messages, citewire: { citations: 'assistanthub' } });
        const completion = await response.json();
        if (completion.citations?.sources?.length) {
          return { text: completion.choices[0].message.content, sources: completion.citations.sources };
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(`no answer has a source:\n${lines.join('\n')}`);
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Sends an object as the services do: a range of it if one is asked for, and 412 when it is not the one that is meant. */
export function sendObject(request, response, bytes, headers) {
  const meant = request.headers['if-match'];
  if (meant && meant !== headers.etag) return response.writeHead(412).end();
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const part = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1);
  const sent = { ...headers, 'content-length': part.length };
  if (first !== undefined) {
    sent['content-range'] = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
  }
  const status = first === undefined ? 200 : 206;
  return response.writeHead(status, sent).end(request.method === 'HEAD' ? undefined : part);
}
