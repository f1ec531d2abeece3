// A registry of npm for the packages in a folder, so that they can be installed before they are published.
//
//     node registry.mjs FOLDER      prints its address; set npm_config_registry to it
//
// It answers what npm asks to install a package: the list of its versions, and the archive.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const folder = process.argv[2];
const packages = new Map();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) {
  const archive = readFileSync(join(folder, file));
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', join(folder, file), 'package/package.json']));
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  packages.set(manifest.name, { manifest, archive, file, integrity });
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1);
  const [name, file] = path.split('/-/');
  const found = packages.get(name);
  if (!found) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
  if (file) return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.archive);
  const { manifest, integrity } = found;
  const tarball = `http://${request.headers.host}/${encodeURIComponent(name)}/-/${found.file}`;
  const version = { ...manifest, dist: { tarball, integrity } };
  const list = { name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
