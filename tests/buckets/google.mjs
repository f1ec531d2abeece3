// A service with the XML interface of Google Cloud Storage. Its callers show a token that they have signed themselves.

import { verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { sendObject } from './service.mjs';

/** Starts the service. `objects` are bytes by key. */
export async function startGoogle({ bucket, publicKey, objects }) {
  const server = createServer((request, response) => {
    const url = new URL(request.url, `http://${request.headers.host}`);
    const answer = (status, body, headers = {}) => response.writeHead(status, headers).end(body);
    const [head, claims, signature] = (request.headers.authorization ?? '').replace('Bearer ', '').split('.');
    const isSigned =
      signature && verify('sha256', `${head}.${claims}`, publicKey, Buffer.from(signature, 'base64url'));
    if (!isSigned) return answer(403, '<Error><Code>AccessDenied</Code></Error>');
    const [, name, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (name !== bucket) return answer(404, '<Error><Code>NoSuchBucket</Code></Error>');
    const modified = new Date('2026-01-01T00:00:00Z');
    const key = rest.join('/');
    if (key) {
      const bytes = objects.get(key);
      const headers = { etag: '"1"', 'last-modified': modified.toUTCString() };
      return sendObject(request, response, bytes, headers);
    }
    const listed = [...objects].map(
      ([key, bytes]) =>
        `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><ETag>"1"</ETag>` +
        `<LastModified>${modified.toISOString()}</LastModified></Contents>`,
    );
    answer(200, `<ListBucketResult>${listed.join('')}<IsTruncated>false</IsTruncated></ListBucketResult>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
