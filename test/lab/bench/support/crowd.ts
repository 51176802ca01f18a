import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';

/** What one account's clients do for a while. */
export interface CrowdOrder {
  readonly url: string;
  /** Whole requests, as they go over the wire; the connections send them in turn. */
  readonly requests: readonly string[];
  /** Connections, each with one request on its way at a time. */
  readonly connections: number;
  /** Between an answer and the next request; 0 by default. */
  readonly pauseMs?: number;
  readonly seconds: number;
}

/** What they got. */
export interface CrowdResult {
  /** Answers by HTTP status; 0 counts connections that broke. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly answered: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The first answer that was not 200. */
  readonly refusal: string | null;
}

/** One account's clients, in a process of their own. */
export interface Crowd {
  readonly pid: number;
  send(order: CrowdOrder): Promise<CrowdResult>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./crowd-program.ts', import.meta.url));

/** Starts the process that sends one account's requests. */
export function startCrowd(): Crowd {
  const child = fork(PROGRAM, { execArgv: ['--import', import.meta.resolve('tsx')] });
  endWithThisProcess(child);
  return { pid: child.pid ?? 0, send: (order) => ask(child, order), stop: () => stopProcess(child) };
}

function ask(child: ChildProcess, order: CrowdOrder): Promise<CrowdResult> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null): void =>
      reject(new Error(`a client ended in the middle of a round (${signal ?? code ?? ''})`));
    child.once('exit', onExit);
    child.once('message', (result) => {
      child.off('exit', onExit);
      resolve(result as CrowdResult);
    });
    child.send(order);
  });
}
