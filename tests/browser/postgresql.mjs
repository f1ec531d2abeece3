// A real PostgreSQL server and its synchronous standby.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.mjs';

const run = promisify(execFile);

/** How long a server may take for anything. */
const PATIENCE_MS = 30_000;

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'dynamic_shared_memory_type=mmap',
  'shared_buffers=16MB',
  'max_connections=80',
  // A kill of the processes loses nothing that the system has been given.
  'fsync=off',
];

export class Pair {
  #folder;
  #programs;
  #user;
  #servers = [];

  static async start() {
    const pair = new Pair();
    pair.#programs = await programs();
    pair.#user = await unprivileged();
    pair.#folder = await mkdtemp(join(tmpdir(), 'citewire-browser-pg-'));
    if (pair.#user.uid !== undefined) await chown(pair.#folder, pair.#user.uid, pair.#user.gid);
    const primary = join(pair.#folder, 'primary');
    const initdb = ['--no-sync', '--auth=trust', '--username=citewire', '--encoding=UTF8', '--locale=C'];
    await pair.#run('initdb', [...initdb, '--pgdata', primary]);
    await pair.#serve(primary);
    const standby = join(pair.#folder, 'standby');
    const from = pair.#url(pair.#servers[0].port);
    const copied = ['--checkpoint=fast', '--no-sync', '--write-recovery-conf', '--dbname', from, '--pgdata', standby];
    await pair.#run('pg_basebackup', copied);
    await pair.#serve(standby);
    await pair.#sql(0, "ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
    await until(async () => (await pair.#sql(0, 'SELECT sync_state FROM pg_stat_replication')) === 'sync');
    return pair;
  }

  /** The URL that names both. */
  get url() {
    const hosts = this.#servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://citewire@${hosts}/postgres?sslmode=disable`;
  }

  /** Ends the primary without warning, and makes the standby the primary. */
  async failOver() {
    await kill(this.#servers[0]);
    await this.#sql(1, 'SELECT pg_promote(true, 30)');
  }

  async stop() {
    for (const server of this.#servers) await kill(server);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #url(port) {
    return `postgres://citewire@127.0.0.1:${port}/postgres?sslmode=disable`;
  }

  #run(program, args) {
    return run(join(this.#programs, program), args, { cwd: '/', ...this.#user });
  }

  async #sql(server, ...statements) {
    const commands = statements.flatMap((statement) => ['--command', statement]);
    const options = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', this.#url(this.#servers[server].port)];
    const { stdout } = await this.#run('psql', [...options, ...commands]);
    return stdout.trim();
  }

  /** Starts a server in a process group of its own. */
  async #serve(data) {
    const port = await freePort();
    const settings = [`port=${port}`, ...SETTINGS].flatMap((setting) => ['-c', setting]);
    const child = spawn(join(this.#programs, 'postgres'), ['-D', data, ...settings], {
      cwd: '/',
      detached: true,
      stdio: 'ignore',
      ...this.#user,
    });
    this.#servers.push({ port, child, gone: once(child, 'exit') });
    const number = this.#servers.length - 1;
    await until(() => this.#sql(number, 'SELECT 1').catch(() => undefined));
  }
}

async function kill({ child, gone }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, 'SIGKILL');
  await gone;
}

async function until(holds) {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`PostgreSQL does not do it within ${PATIENCE_MS} ms: ${holds}`);
  }
}

/** Where the programs of PostgreSQL are: Debian keeps those of each version apart. */
async function programs() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? await readdir(debian) : [];
  const folders = [...process.env.PATH.split(':'), ...versions.sort().map((version) => join(debian, version, 'bin'))];
  const found = folders.findLast((folder) => existsSync(join(folder, 'initdb')));
  if (!found) throw new Error('initdb is missing: install PostgreSQL (Debian: `apt-get install postgresql`)');
  return found;
}

/** The user and the group that run the servers where the tests are run by root, as whom they refuse to start. */
async function unprivileged() {
  if (process.getuid() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all(['-u', '-g'].map((which) => run('id', [which, name]))).catch(() => undefined);
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error('there is neither a user `postgres` nor `nobody`, who could run PostgreSQL');
}
