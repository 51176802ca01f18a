import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { binaryCandidates, serverFolder, serverUser } from './postgres-binaries.ts';
import type { ServerUser } from './postgres-binaries.ts';
import { endWithThisProcess, stopProcess } from './processes.ts';
import { waitFor } from './wait.ts';

const run = promisify(execFile);

/** A running PostgreSQL server. */
export interface PostgresServer {
  /** The URL of a user who may create databases. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A database for one test file. */
export interface FreshDatabase {
  readonly url: string;
  /** Removes the database, and ends connections that a test left open. */
  drop(): Promise<void>;
  /** Copies the database while nobody is connected; the returned function replaces the database by the copy. */
  backup(): Promise<() => Promise<void>>;
}

/**
 * Starts a temporary PostgreSQL server on a free loopback port, or returns the one that `TEST_DATABASE_URL` names. The
 * whole test run shares one: `test/run.ts` starts it and passes its address on in that variable.
 *
 * @throws AggregateError naming every place that was tried
 */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: () => Promise.resolve() };

  const user = serverUser();
  const folder = serverFolder(user);
  const failures: Error[] = [];
  for (const { from, prepare } of binaryCandidates()) {
    try {
      return await startCluster(prepare(user, folder), user, folder);
    } catch (error) {
      failures.push(new Error(`${from}: ${(error as Error).message}`, { cause: error }));
    }
  }
  rmSync(folder, { recursive: true, force: true });
  const reasons = failures.map((failure) => `\n  ${failure.message}`).join('');
  throw new AggregateError(
    failures,
    `no PostgreSQL could be started here; set TEST_DATABASE_URL, or see why:${reasons}`,
  );
}

async function startCluster(bin: string, user: ServerUser, folder: string): Promise<PostgresServer> {
  const data = join(folder, 'data');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { mode: 0o700 });
  const passwordFile = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [data, passwordFile])
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);

  const options = { ...user, cwd: folder, env: serverEnvironment() };
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await run(
    join(bin, 'initdb'),
    [`--pgdata=${data}`, '--encoding=UTF8', '--locale=C', '--no-sync', ...access],
    options,
  );
  rmSync(passwordFile);

  const port = await freePort();
  const logFile = join(folder, 'postgres.log');
  const log = openSync(logFile, 'w');
  const child = spawn(join(bin, 'postgres'), serverArguments(data, port), { ...options, stdio: ['ignore', log, log] });
  closeSync(log);
  // A server must not keep a finished test process alive.
  child.unref();
  endWithThisProcess(child, () => {
    child.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await ready(child, url, logFile);
  return {
    url,
    stop: async () => {
      await stopProcess(child, 'SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Durability is off: the cluster lives only as long as a test run, and no test cuts the machine's power. */
function serverArguments(data: string, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: 200,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    jit: 'off',
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && !name.startsWith('LC_'));
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}

async function ready(child: ChildProcess, url: string, logFile: string): Promise<void> {
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const over = (): boolean => failure !== undefined || child.exitCode !== null || child.signalCode !== null;
  await waitFor(async () => over() || (await query(url, 'select 1')), {
    timeoutMs: 30_000,
    intervalMs: 25,
    describe: () => `PostgreSQL; its log:\n${readFileSync(logFile, 'utf8')}`,
  });
  if (over()) throw new Error(`postgres ended at once: ${failure?.message ?? readFileSync(logFile, 'utf8')}`);
}

async function query(url: string, text: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text);
    return true;
  } finally {
    await client.end();
  }
}

/** Of a server before PostgreSQL 15, which knows no other way than to copy files. */
const SYNTAX_ERROR = '42601';

/** Creates a database by copying files: block by block through the write-ahead log takes twice the processor time. */
async function copyDatabase(server: string, name: string, template: string): Promise<void> {
  const create = `create database ${name} template ${template}`;
  try {
    await query(server, `${create} strategy file_copy`);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== SYNTAX_ERROR) throw error;
    await query(server, create);
  }
}

let shared: Promise<PostgresServer> | undefined;

/**
 * Creates a database for one test file, empty unless it is copied from another one. Without `TEST_DATABASE_URL` (a test
 * file run on its own) the first call starts a server for this process.
 */
export async function freshDatabase(template = 'template0'): Promise<FreshDatabase> {
  const server = await (shared ??= startPostgres());
  const name = `tillgate_${randomBytes(8).toString('hex')}`;
  await copyDatabase(server.url, name, template);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const drop = async (which: string): Promise<void> => {
    await query(server.url, `drop database if exists ${which} with (force)`);
  };
  const copies: string[] = [];
  return {
    url: url.href,
    drop: async () => {
      for (const each of [name, ...copies]) await drop(each);
    },
    backup: async () => {
      const copy = `${name}_${copies.length}`;
      copies.push(copy);
      await copyDatabase(server.url, copy, name);
      return async () => {
        await drop(name);
        await copyDatabase(server.url, name, copy);
      };
    },
  };
}
