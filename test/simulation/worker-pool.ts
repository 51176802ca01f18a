import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { freshDatabase } from '../support/postgres.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import type { Report, Task } from './worker.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
/** No scenario takes this long, even on the busiest machine: one that does is stuck. */
const LONGEST_MS = 1_200_000;

/** Starts a process that plays scenarios; `options` go to node before the TypeScript loader. */
export function startWorker(options: readonly string[] = [], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const execArgv = [...options, '--import', 'tsx'];
  // The test process's coverage and test settings would slow these processes down.
  const { NODE_V8_COVERAGE: _coverage, NODE_TEST_CONTEXT: _context, ...own } = process.env;
  return fork(WORKER, [], { execArgv, env: { ...own, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Waits until a worker has started. */
export function ready(worker: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('exit', (code) => reject(new Error(`a worker ended with ${code} before it began`)));
  });
}

/** Lets a worker play one scenario. */
export function ask(worker: ChildProcess, task: Task): Promise<Report> {
  return new Promise((resolve) => {
    const failed = (why: string): void => {
      resolve({
        seed: task.seed,
        breach: `the simulator failed: ${why}`,
        step: -1,
        played: 0,
        digest: '',
        cpuMs: 0,
        tally: [],
      });
      worker.kill('SIGKILL');
    };
    const timer = setTimeout(() => failed('the scenario is stuck'), LONGEST_MS);
    const exited = (code: number | null): void => failed(`the worker ended with ${code}`);
    worker.once('exit', exited);
    worker.once('message', (report) => {
      clearTimeout(timer);
      worker.removeListener('exit', exited);
      resolve(report as Report);
    });
  });
}

/** A task with its PostgreSQL database; unchanged for SQLite. */
export const onDatabase = (task: Task, database: FreshDatabase | null): Task =>
  database === null ? task : { ...task, database: database.url };

/** Options for playing scenarios. */
export interface PlayOptions {
  readonly processes?: number;
  /** Uses PostgreSQL, with one database for each process. */
  readonly pg?: boolean;
}

/** Plays every task, one process for each core; `onReport` may end it early by returning false. */
export async function playAll(
  tasks: Iterable<Task>,
  onReport: (report: Report) => boolean,
  { processes = availableParallelism(), pg = false }: PlayOptions = {},
): Promise<void> {
  const queue = tasks[Symbol.iterator]();
  let over = false;
  const serve = async (): Promise<void> => {
    const database = pg ? await freshDatabase() : null;
    const worker = startWorker();
    await ready(worker);
    for (let next = queue.next(); next.done !== true && !over && !worker.killed; next = queue.next()) {
      const task = onDatabase(next.value, database);
      const answer = ask(worker, task);
      worker.send(task);
      if (!onReport(await answer)) over = true;
    }
    worker.kill();
    await database?.drop();
  };
  await Promise.all(Array.from({ length: processes }, serve));
}
