// nginx with the configuration that is shipped for several nodes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

const SHIPPED = new URL('../../packaging/cluster/nginx.conf', import.meta.url);

/** Starts nginx on this port, before the nodes at these addresses (`127.0.0.1:3978`). */
export async function startNginx(port, nodes) {
  const folder = await mkdtemp(join(tmpdir(), 'citewire-browser-nginx-'));
  let shipped = await readFile(SHIPPED, 'utf8');
  const replace = (from, to) => {
    assert.ok(shipped.includes(from), `nginx.conf has no \`${from}\``);
    shipped = shipped.replace(from, to);
  };
  nodes.forEach((node, at) => replace(`server citewire-${at + 1}:3978`, `server ${node}`));
  replace('listen 80;', `listen 127.0.0.1:${port};`);
  replace('access_log /dev/stdout citewire;', 'access_log off;');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  const frame = `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr crit;\nevents {}\nhttp {\n${paths}\n${shipped}}\n`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, frame);
  const said = [];
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (text) => said.push(text));
  const gone = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${said.join('')}`);
    await setImmediate();
  }
  return {
    async stop() {
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function accepts(port) {
  const socket = connect(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}
