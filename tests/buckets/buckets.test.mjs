// Documents in buckets, and links that their services have signed.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { startGoogle } from './google.mjs';
import { startS3 } from './s3.mjs';
import { fromEnvironment, startService } from './service.mjs';

const LEAVE = Buffer.from('# Leave\n\nLeave is 30 days a year.\n');
const NAME = 'hr/Über uns & co/leave 100%?#+.md';
const QUESTION = 'How many days of leave are there?';
const keys = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'eu-central-1' };

/** What the library of the service signs for the same instant. */
function signedByLibrary(asked) {
  const ran = spawnSync(fromEnvironment('CITEWIRE_PYTHON'), ['sign.py'], { input: JSON.stringify(asked), encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout.trim();
}

function s3Settings(service, more) {
  return {
    bucket: 's3://docs/hr',
    bucket_endpoint: service.endpoint,
    bucket_region: keys.region,
    bucket_key_id: keys.id,
    ...more,
  };
}

async function withS3(more, mode, run) {
  const objects = new Map([
    [NAME, LEAVE],
    ['hr/parking.md', Buffer.from('# Parking\n\nThe car park closes at eight.\n')],
    ['hr/.hidden.md', Buffer.from('hidden')],
    ['hr/picture.png', Buffer.from('png')],
    ['it/other.md', Buffer.from('Leave is 99 days a year.')],
  ]);
  const service = await startS3({ bucket: 'docs', keys, objects });
  let citewire;
  try {
    citewire = await startService(s3Settings(service, more), keys.secret, mode);
    await run(citewire, service, objects);
  } finally {
    await citewire?.stop();
    service.stop();
  }
}

test('a document in S3 is cited with an address that S3 has signed', { timeout: 60_000 }, async () => {
  await withS3({ bucket_link_seconds: 3600 }, 'public', async (citewire, service) => {
    const { text, sources } = await citewire.ask(QUESTION);
    assert.match(text, /30 days a year/);
    assert.doesNotMatch(text, /99/);
    const link = new URL(sources[0].download_url);
    const asked = {
      service: 'amazon',
      instant: link.searchParams.get('X-Amz-Date'),
      bucket: 'docs',
      key: NAME,
      seconds: 3600,
      endpoint: service.endpoint,
      key_id: keys.id,
      secret: keys.secret,
      region: keys.region,
    };
    assert.equal(link.href, signedByLibrary(asked), 'byte for byte as botocore signs for the same instant');
    const opened = await fetch(link);
    assert.equal(opened.status, 200);
    assert.deepEqual(Buffer.from(await opened.arrayBuffer()), LEAVE);
    const altered = new URL(link);
    altered.searchParams.set('X-Amz-Expires', '3601');
    assert.equal((await fetch(altered)).status, 403);
  });
});

test('with the mode authenticated, citewire hands the document out itself', { timeout: 60_000 }, async () => {
  await withS3({}, 'authenticated', async (citewire) => {
    const { sources } = await citewire.ask(QUESTION);
    const path = new URL(sources[0].download_url, 'http://x').pathname;
    const opened = await citewire.call(path);
    assert.equal(opened.status, 200);
    assert.deepEqual(Buffer.from(await opened.arrayBuffer()), LEAVE);
  });
});

test('a bucket that is not there, refuses or is slow is logged with its remedy', { timeout: 60_000 }, async (context) => {
  await withS3({ bucket: 's3://nowhere/hr' }, 'public', async (citewire) => {
    await citewire.said(/the bucket s3:\/\/nowhere\/hr does not exist: check documents\.bucket/);
  });
  await withS3({ bucket_key_id: 'SOMEBODYELSE' }, 'public', async (citewire) => {
    await citewire.said(/the bucket s3:\/\/docs\/hr refuses the key: check documents\.bucket_key_env/);
  });
  const service = await startS3({ bucket: 'docs', keys, objects: new Map() });
  context.after(() => service.stop());
  service.state.hangs = true;
  const citewire = await startService(s3Settings(service), keys.secret);
  context.after(() => citewire.stop());
  await citewire.said(/the bucket s3:\/\/docs\/hr cannot be read: 127\.0\.0\.1 did not answer in time/);
  // Meanwhile the assistant answers, and says that it knows nothing.
  const messages = [{ role: 'user', content: QUESTION }];
  const answered = await citewire.call('/v1/chat/completions', { model: 'hr', messages });
  assert.equal(answered.status, 200);
});

test('Azure, as Azurite knows it, opens the address that is signed for it', { timeout: 60_000 }, async (context) => {
  const account = 'devstoreaccount1';
  const key = Buffer.from('a key of these tests, of thirty-two bytes or more').toString('base64');
  const folder = await mkdtemp(join(tmpdir(), 'citewire-azurite-'));
  const program = 'node_modules/azurite/dist/src/blob/main.js';
  const flags = ['--blobHost', '127.0.0.1', '--blobPort', '0', '--inMemoryPersistence', '--disableTelemetry'];
  const azurite = spawn(process.execPath, [join(process.cwd(), program), ...flags], {
    cwd: folder,
    env: { ...process.env, AZURITE_ACCOUNTS: `${account}:${key}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const endpoint = await new Promise((resolve, reject) => {
    createInterface({ input: azurite.stdout }).on('line', (line) => {
      const found = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(line);
      if (found) resolve(`${found[1]}/${account}`);
    });
    once(azurite, 'exit').then(([code]) => reject(new Error(`azurite ended with ${code}`)));
  });
  context.after(async () => {
    azurite.kill();
    await rm(folder, { recursive: true, force: true });
  });
  /** A call that is signed with the shared key. */
  const put = async (path, query, headers, body) => {
    const url = new URL(`${endpoint}${path}${query}`);
    const named = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2021-12-02', ...headers };
    const canonical = Object.entries(named).sort().map(([name, value]) => `${name}:${value}\n`).join('');
    const parameters = [...url.searchParams].sort().map(([name, value]) => `\n${name}:${value}`).join('');
    const length = body?.length || '';
    const type = body ? 'text/markdown' : '';
    const text = `PUT\n\n\n${length}\n\n${type}\n\n\n\n\n\n\n${canonical}/${account}${url.pathname}${parameters}`;
    const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
    const authorization = `SharedKey ${account}:${signature}`;
    const response = await fetch(url, { method: 'PUT', headers: { ...named, authorization, ...(type && { 'content-type': type }) }, body });
    assert.equal(response.status, 201, await response.text());
  };
  await put('/docs', '?restype=container', {}, undefined);
  await put('/docs/hr/leave%20%C3%BC.md', '', { 'x-ms-blob-type': 'BlockBlob' }, LEAVE);
  const citewire = await startService({ bucket: `az://${account}/docs/hr`, bucket_endpoint: endpoint }, key);
  try {
    const { text, sources } = await citewire.ask(QUESTION);
    assert.match(text, /30 days a year/);
    const link = new URL(sources[0].download_url);
    const opened = await fetch(link);
    assert.equal(opened.status, 200, await opened.clone().text());
    assert.deepEqual(Buffer.from(await opened.arrayBuffer()), LEAVE);
    const altered = new URL(link);
    altered.searchParams.set('se', '2099-01-01T00:00:00Z');
    assert.equal((await fetch(altered)).status, 403);
  } finally {
    await citewire.stop();
  }
});

const ORIGIN = 'https://storage.googleapis.com';

test('an address of Google is signed byte for byte as by its own library', { timeout: 60_000 }, async (context) => {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const secret = JSON.stringify({
    type: 'service_account',
    client_email: 'citewire@tests.example',
    private_key: pair.privateKey,
    private_key_id: '1',
    token_uri: 'https://tests.example/token',
  });
  const objects = new Map([['leave ü.md', LEAVE]]);
  const google = await startGoogle({ bucket: 'docs', publicKey: pair.publicKey, objects });
  context.after(() => google.stop());
  const citewire = await startService({ bucket: 'gs://docs', bucket_endpoint: google.endpoint }, secret);
  try {
    const { text, sources } = await citewire.ask(QUESTION);
    assert.match(text, /30 days a year/);
    const link = new URL(sources[0].download_url);
    const asked = {
      service: 'google',
      instant: link.searchParams.get('X-Goog-Date'),
      resource: '/docs/leave%20%C3%BC.md',
      endpoint: ORIGIN,
      secret,
      seconds: 7 * 24 * 60 * 60,
    };
    // Google's own host is signed, wherever the service is.
    assert.equal(sources[0].download_url.replace(google.endpoint, ORIGIN), signedByLibrary(asked));
  } finally {
    await citewire.stop();
  }
});
