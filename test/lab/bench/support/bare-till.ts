import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';
import type { TillProcess } from './till-process.ts';

/** What the bare program is given. */
export interface BareStart {
  readonly connection: string;
  readonly apiToken: string;
  readonly signingSecret: string;
}

/** The part of a till that takes the load of orders. */
export type OrderServer = Pick<TillProcess, 'pid' | 'url' | 'apiToken' | 'signingSecret' | 'stop'>;

const PROGRAM = fileURLToPath(new URL('./bare-orders.ts', import.meta.url));

/**
 * Starts the yardstick of the server's processor time, on a database in which a till has stored an order.
 *
 * @param node - further options of node, such as `--cpu-prof`
 */
export async function startBareTill(start: BareStart, node: readonly string[] = []): Promise<OrderServer> {
  const child = fork(PROGRAM, { execArgv: [...node, '--import', import.meta.resolve('tsx')] });
  endWithThisProcess(child);
  child.send(start);
  const [port] = (await once(child, 'message')) as [number];
  const { apiToken, signingSecret } = start;
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    apiToken,
    signingSecret,
    stop: () => stopProcess(child),
  };
}
