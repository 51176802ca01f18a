import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../../support/free-port.ts';
import { serverFolder, serverUser } from '../../../support/postgres-binaries.ts';
import type { ServerUser } from '../../../support/postgres-binaries.ts';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';
import { waitFor } from '../../../support/wait.ts';

const run = promisify(execFile);

/** What the yardstick is run with: the same number of clients as the load has. */
export interface PgbenchLoad {
  readonly clients: number;
  readonly seconds: number;
}

/** A PostgreSQL cluster that keeps its promises, unlike the one of the tests, with the yardstick in it. */
export interface DurablePostgres {
  /** The postmaster; its children are the backends. */
  readonly pid: number;
  /** An empty database beside the yardstick's. */
  readonly url: string;
  readonly version: string;
  /** Another empty database, and the rows of one query in it. */
  create(name: string): Promise<Pick<DurablePostgres, 'url' | 'query'>>;
  /** Committed transactions a second of `pgbench -N`. */
  pgbench(load: PgbenchLoad): Promise<number>;
  /** Rows of one query in the till's database. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const PGBENCH_SCALE = 10;
const PGBENCH_THREADS = 2;

/**
 * Starts a cluster of its own on a free port of loopback: `fsync` and `synchronous_commit` on, everything else as it
 * comes.
 *
 * @param more - further settings of the server
 * @throws Error when the machine has no PostgreSQL with `pgbench`
 */
export async function startDurablePostgres(more: Readonly<Record<string, string>> = {}): Promise<DurablePostgres> {
  const bin = programsWithPgbench();
  const user = serverUser();
  const folder = serverFolder(user);
  try {
    return await start(bin, user, { folder, more });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The package that the tests take their server from has no pgbench, so it is a system's. */
function programsWithPgbench(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const found = places.find((place) =>
    ['initdb', 'postgres', 'pgbench'].every((program) => existsSync(join(place, program))),
  );
  if (found !== undefined) return found;
  throw new Error(
    'bench orders compares with pgbench, and this machine has no PostgreSQL with pgbench (Debian: the package postgresql).',
  );
}

async function start(
  bin: string,
  user: ServerUser,
  { folder, more }: { readonly folder: string; readonly more: Readonly<Record<string, string>> },
): Promise<DurablePostgres> {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [data, passwordFile])
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { PATH: bin, LC_ALL: 'C', TZ: 'UTC', PGPASSWORD: password } };
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await run(join(bin, 'initdb'), [`--pgdata=${data}`, '--encoding=UTF8', '--locale=C', ...access], options);
  rmSync(passwordFile);

  const port = await freePort();
  const logFile = join(folder, 'postgres.log');
  const log = openSync(logFile, 'w');
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: 200,
    fsync: 'on',
    synchronous_commit: 'on',
    ...more,
  };
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...options,
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  endWithThisProcess(server, () => {
    server.kill('SIGQUIT');
    remove();
  });

  const client = { host: '127.0.0.1', port, user: 'postgres', password };
  await waitFor(
    async () => server.exitCode !== null || (await ask({ ...client, database: 'postgres' }, 'select 1')).length > 0,
    {
      timeoutMs: 30_000,
      intervalMs: 50,
      describe: () => `PostgreSQL; its log:\n${readFileSync(logFile, 'utf8')}`,
    },
  );
  await ask({ ...client, database: 'postgres' }, 'create database yardstick');
  await ask({ ...client, database: 'postgres' }, 'create database till');
  const yardstick = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres', 'yardstick'];
  await run(join(bin, 'pgbench'), ['--initialize', '--quiet', `--scale=${PGBENCH_SCALE}`, ...yardstick], options);
  const [about] = await ask(
    { ...client, database: 'till' },
    `select current_setting('server_version') as version, current_setting('fsync') || current_setting('synchronous_commit') as durable`,
  );
  if (about?.['durable'] !== 'onon') throw new Error('the cluster of the bench is not durable');

  const opened = (database: string): Pick<DurablePostgres, 'url' | 'query'> => ({
    url: `postgres://postgres:${password}@127.0.0.1:${port}/${database}`,
    query: (sql, values) => ask({ ...client, database }, sql, values),
  });
  return {
    pid: server.pid ?? 0,
    ...opened('till'),
    create: async (name) => {
      await ask({ ...client, database: 'postgres' }, `create database ${name}`);
      return opened(name);
    },
    version: String(about['version']),
    pgbench: async ({ clients, seconds }) => {
      const load = [
        '--skip-some-updates',
        '--no-vacuum',
        `--client=${clients}`,
        `--jobs=${PGBENCH_THREADS}`,
        `--time=${seconds}`,
      ];
      return transactionsASecond((await run(join(bin, 'pgbench'), [...load, ...yardstick], options)).stdout);
    },
    stop: async () => {
      await stopProcess(server, 'SIGINT');
      remove();
    },
  };
}

function transactionsASecond(output: string): number {
  const figure = /^tps = ([\d.]+)/m.exec(output)?.[1];
  if (figure === undefined) throw new Error(`pgbench said nothing of its speed:\n${output}`);
  return Number(figure);
}

async function ask(
  config: pg.ClientConfig,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
