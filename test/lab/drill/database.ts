import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { binaryCandidates, serverFolder, serverUser } from '../../support/postgres-binaries.ts';
import { waitFor } from '../../support/wait.ts';
import { DATABASE, MACHINES, on } from './network.ts';
import type { Machine } from './network.ts';

const execute = promisify(execFile);
const PASSWORD = randomBytes(16).toString('hex');
const STANDBY = 'standby';
const READY_MS = 60_000;

const urlAt = (address: string): string => `postgres://postgres:${PASSWORD}@${address}:5432/postgres`;
/** By the address that moves. */
export const DATABASE_URL = urlAt(DATABASE);

/** One PostgreSQL server on a machine of its own. */
export class DatabaseServer {
  readonly machine: Machine;
  readonly #bin: string;
  readonly #folder: string;
  readonly #user = serverUser();
  #child: ChildProcess | null = null;

  private constructor(machine: Machine, bin: string, folder: string) {
    this.machine = machine;
    this.#bin = bin;
    this.#folder = folder;
  }

  /** Two machines with the same programs and without any data. @throws Error when no PostgreSQL can be run */
  static pair(machines: readonly [Machine, Machine]): readonly [DatabaseServer, DatabaseServer] {
    const user = serverUser();
    const folder = serverFolder(user);
    const bin = firstRunnable(folder);
    const [one, other] = machines;
    return [new DatabaseServer(one, bin, folder), new DatabaseServer(other, bin, folder)];
  }

  get folder(): string {
    return this.#folder;
  }

  get #data(): string {
    return join(this.#folder, this.machine);
  }

  get #log(): string {
    return join(this.#folder, `${this.machine}.log`);
  }

  /** Makes an empty cluster and starts it. */
  async create(): Promise<void> {
    this.#emptyData();
    const passwordFile = join(this.#folder, 'password');
    writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
    this.#own(passwordFile);
    const words = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync'];
    await execute(join(this.#bin, 'initdb'), [`--pgdata=${this.#data}`, '--locale=C', '--encoding=UTF8', ...words], {
      ...this.#user,
      cwd: this.#folder,
    });
    rmSync(passwordFile);
    appendFileSync(
      join(this.#data, 'pg_hba.conf'),
      'host all all 10.77.0.0/24 scram-sha-256\nhost replication all 10.77.0.0/24 scram-sha-256\n',
    );
    await this.#start();
  }

  /** Takes a base backup of the primary and follows it. */
  async follow(primary: DatabaseServer, mode: 'synchronous' | 'asynchronous'): Promise<void> {
    this.kill();
    this.#emptyData();
    await primary.#session(async (ask) => {
      await ask(`select pg_backup_start('drill', true)`);
      // Files that vanish or change meanwhile are put right by the log, which begins with the backup.
      await execute('cp', ['-a', `${primary.#data}/.`, this.#data]).catch(() => undefined);
      const [label] = await ask<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      writeFileSync(join(this.#data, 'backup_label'), label?.labelfile ?? '');
    });
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(this.#data, name), { force: true });
    const from = `host=${MACHINES[primary.machine]} user=postgres password=${PASSWORD} application_name=${STANDBY}`;
    writeFileSync(join(this.#data, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
    writeFileSync(join(this.#data, 'standby.signal'), '');
    for (const name of ['backup_label', 'standby.signal', 'postgresql.auto.conf']) this.#own(join(this.#data, name));
    await this.#start();
    await primary.#configure('synchronous_standby_names', mode === 'synchronous' ? STANDBY : '');
    await primary.#replicates(mode === 'synchronous' ? 'sync' : 'async');
  }

  /** Ends every process of the server at once, as a power cut does. */
  kill(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    this.#child = null;
  }

  async promote(): Promise<void> {
    await this.#session(async (ask) => {
      await ask('select pg_promote(true, 60)');
    });
  }

  async #configure(name: string, value: string): Promise<void> {
    await this.#session(async (ask) => {
      await ask(`alter system set ${name} = '${value}'`);
      await ask('select pg_reload_conf()');
    });
  }

  async #replicates(state: string): Promise<void> {
    await waitFor(
      () =>
        this.#session(async (ask) => {
          const rows = await ask<{ sync_state: string; state: string }>(
            'select state, sync_state from pg_stat_replication',
          );
          return rows.some((row) => row.state === 'streaming' && row.sync_state === state);
        }),
      { timeoutMs: READY_MS, intervalMs: 100, describe: `the standby to be ${state}` },
    );
  }

  async #start(): Promise<void> {
    const settings = {
      listen_addresses: '*',
      unix_socket_directories: '',
      max_connections: 200,
      wal_keep_size: '512MB',
      wal_receiver_timeout: '5s',
      // Every process is killed, and no power is cut: the system keeps what was written.
      fsync: 'off',
      jit: 'off',
    };
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const { uid, gid } = this.#user;
    const as = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    const [program, ...args] = [...on(this.machine), ...as, join(this.#bin, 'postgres'), '-D', this.#data, ...words];
    const log = openSync(this.#log, 'a');
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
    // In a group of its own, so that a kill takes all of its processes.
    this.#child = spawn(program!, args, { cwd: this.#folder, env, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    await waitFor(() => this.#session((ask) => ask('select 1')), {
      timeoutMs: READY_MS,
      intervalMs: 50,
      describe: () => `PostgreSQL on ${this.machine}; its log:\n${readFileSync(this.#log, 'utf8').slice(-3000)}`,
    });
  }

  async #session<T>(use: (ask: Ask) => Promise<T>): Promise<T> {
    const client = new pg.Client({
      connectionString: urlAt(MACHINES[this.machine]),
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await use(async (text) => (await client.query(text)).rows as never);
    } finally {
      await client.end();
    }
  }

  #emptyData(): void {
    rmSync(this.#data, { recursive: true, force: true });
    mkdirSync(this.#data, { mode: 0o700 });
    this.#own(this.#data);
  }

  #own(path: string): void {
    const { uid, gid } = this.#user;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

type Ask = <T = unknown>(text: string) => Promise<readonly T[]>;

function firstRunnable(folder: string): string {
  const reasons: string[] = [];
  for (const { from, prepare } of binaryCandidates()) {
    try {
      return prepare(serverUser(), folder);
    } catch (error) {
      reasons.push(`${from}: ${(error as Error).message}`);
    }
  }
  throw new Error(`no PostgreSQL can be run here: ${reasons.join('; ')}`);
}
