// A service with the interface of S3 that verifies Signature Version 4, as its documentation describes it
// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html). It lists two objects a page.

import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { sendObject } from './service.mjs';

const hash = (text) => createHash('sha256').update(text).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** The signature of a request with these signed headers. */
function signature({ secret, region }, request, url, signedHeaders, instant, payload) {
  const query = [...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature');
  const pairs = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const path = decodeURIComponent(url.pathname).split('/').map(encode).join('/');
  const canonical = [request.method, path, pairs.join('&'), headers.join(''), signedHeaders, payload].join('\n');
  const scope = `${instant.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', instant, scope, hash(canonical)].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, instant.slice(0, 8)));
  return hmac(key, text).toString('hex');
}

/** Whether a request is signed with the key, in its headers or in its address. */
function isSigned(keys, request, url) {
  const given = url.searchParams;
  if (given.has('X-Amz-Signature')) {
    const instant = given.get('X-Amz-Date');
    const begun = Date.parse(instant.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
    const isDue = Date.now() > begun + Number(given.get('X-Amz-Expires')) * 1000;
    const wanted = signature(keys, request, url, given.get('X-Amz-SignedHeaders'), instant, 'UNSIGNED-PAYLOAD');
    return !isDue && given.get('X-Amz-Signature') === wanted;
  }
  const parts = /Credential=([^/]+)\/[^,]+, *SignedHeaders=([^,]+), *Signature=(\w+)/.exec(request.headers.authorization);
  if (!parts || parts[1] !== keys.id) return false;
  const { 'x-amz-date': instant, 'x-amz-content-sha256': payload } = request.headers;
  return parts[3] === signature(keys, request, url, parts[2], instant, payload);
}

/** Starts the service. `objects` are bytes by key, and may change. */
export async function startS3({ bucket, keys, objects }) {
  const changed = new Date('2026-01-01T00:00:00Z');
  const state = { calls: 0, refuses: false, hangs: false };
  const server = createServer((request, response) => {
    state.calls += 1;
    if (state.hangs) return;
    const url = new URL(request.url, `http://${request.headers.host}`);
    const answer = (status, body, headers = {}) => response.writeHead(status, headers).end(body);
    const fault = (status, code) => answer(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);
    if (state.refuses || !isSigned(keys, request, url)) return fault(403, 'SignatureDoesNotMatch');
    const [, name, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (name !== bucket) return fault(404, 'NoSuchBucket');
    const key = rest.join('/');
    if (key) {
      const bytes = objects.get(key);
      if (!bytes) return fault(404, 'NoSuchKey');
      const headers = { etag: `"${hash(bytes)}"`, 'last-modified': changed.toUTCString() };
      return sendObject(request, response, bytes, headers);
    }
    const prefix = url.searchParams.get('prefix') ?? '';
    const from = Number(url.searchParams.get('continuation-token') ?? 0);
    const found = [...objects.keys()].sort().filter((key) => key.startsWith(prefix));
    const page = found.slice(from, from + 2).map(
      (key) =>
        `<Contents><Key>${escape(key)}</Key><Size>${objects.get(key).length}</Size><ETag>"${hash(objects.get(key))}"</ETag>` +
        `<LastModified>${changed.toISOString()}</LastModified></Contents>`,
    );
    const more = from + 2 < found.length;
    const next = more ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
    answer(200, `<ListBucketResult>${page.join('')}<IsTruncated>${more}</IsTruncated>${next}</ListBucketResult>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    state,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
