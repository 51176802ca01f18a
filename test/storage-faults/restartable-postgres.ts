import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { binaryCandidates, serverFolder, serverUser } from '../support/postgres-binaries.ts';
import { endWithThisProcess, stopProcess } from '../support/processes.ts';

const run = promisify(execFile);

/** `fast` ends every session and writes what is open; `immediate` is a crash of the server, recovered from at its next start. */
export type StopMode = 'fast' | 'immediate';

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** A PostgreSQL server of one test's own that can be stopped and started again on the same data and port. */
export interface RestartablePostgres {
  readonly url: string;
  stop(mode: StopMode): Promise<void>;
  start(): void;
  remove(): Promise<void>;
}

/** @throws Error when no PostgreSQL can be started here */
export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const user = serverUser();
  const folder = serverFolder(user);
  const data = join(folder, 'data');
  const port = await freePort();
  const environment = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && !name.startsWith('LC_')),
    ),
    LC_ALL: 'C',
    TZ: 'UTC',
  };
  const options = { ...user, cwd: folder, env: environment };
  const [first] = binaryCandidates();
  if (first === undefined) throw new Error('There is no PostgreSQL here.');
  const bin = first.prepare(user, folder);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) await run('chown', [`${user.uid}:${user.gid}`, data]);
  await run(
    join(bin, 'initdb'),
    [`--pgdata=${data}`, '--encoding=UTF8', '--locale=C', '--no-sync', '--username=postgres', '--auth=trust'],
    options,
  );
  let child: ChildProcess | null = null;
  const start = (): void => {
    // A commit is written before it is answered: without fsync it survives the end of the server, though not of the machine.
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      `port=${port}`,
      'fsync=off',
      'max_connections=60',
    ];
    child = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...options,
      stdio: 'ignore',
    });
    endWithThisProcess(child, () => child?.kill('SIGQUIT'));
  };
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop: async (mode) => {
      if (child !== null) await stopProcess(child, SIGNALS[mode]);
    },
    remove: async () => {
      if (child !== null) await stopProcess(child, 'SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
