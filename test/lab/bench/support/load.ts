import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';

/** One round of orders. */
export interface LoadOrder {
  readonly url: string;
  readonly apiToken: string;
  readonly signingSecret: string;
  /** The coin of the orders. */
  readonly coin: { readonly chain: string; readonly currency: string };
  /** Connections, each with one request on its way at a time. */
  readonly connections: number;
  readonly seconds: number;
}

/** What a round came to. */
export interface LoadResult {
  /** Orders that the till answered with 200 and code 0. */
  readonly acknowledged: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The first few answers that were anything else. */
  readonly failures: readonly string[];
}

/** The merchants of a bench, in a process of their own. */
export interface LoadGenerator {
  readonly pid: number;
  run(order: LoadOrder): Promise<LoadResult>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./load-generator.ts', import.meta.url));

/** Starts the process that sends the load. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(PROGRAM, { execArgv: ['--import', import.meta.resolve('tsx')] });
  endWithThisProcess(child);
  return { pid: child.pid ?? 0, run: (order) => ask(child, order), stop: () => stopProcess(child) };
}

function ask(child: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the load generator ended in the middle of a round'));
    child.once('exit', onExit);
    child.once('message', (result) => {
      child.off('exit', onExit);
      resolve(result as LoadResult);
    });
    child.send(order);
  });
}
