import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingsInput } from '../../../../host/index.ts';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';
import type { BenchLightningNode } from './lightning-node.ts';

/** No merchant makes so many orders a minute; the load is one. */
const NO_LIMIT = 1_000_000_000;
const MACAROON = '0201036c6e64';
const NODE_PROGRAM = fileURLToPath(new URL('./lightning-node.ts', import.meta.url));

/** A node that speaks lnd's REST interface. */
export interface LightningNodeProcess {
  readonly pid: number;
  readonly facts: BenchLightningNode;
  stop(): Promise<void>;
}

/** Starts the node in a process of its own. */
export async function startLightningNode(): Promise<LightningNodeProcess> {
  const child = fork(NODE_PROGRAM, [MACAROON], { execArgv: ['--import', import.meta.resolve('tsx')] });
  endWithThisProcess(child);
  const facts = await new Promise<BenchLightningNode>((resolve, reject) => {
    child.once('message', (told) => resolve(told as BenchLightningNode));
    child.once('exit', () => reject(new Error('the Lightning node ended before it was ready')));
  });
  return { pid: child.pid ?? 0, facts, stop: () => stopProcess(child) };
}

/** The files in which lnd gives what is needed to speak with it. */
export function lightningFiles(
  folder: string,
  { certificate }: BenchLightningNode,
): { readonly macaroonFile: string; readonly tlsCertFile: string } {
  const [macaroonFile, tlsCertFile] = [join(folder, 'admin.macaroon'), join(folder, 'tls.cert')];
  writeFileSync(macaroonFile, Buffer.from(MACAROON, 'hex'));
  writeFileSync(tlsCertFile, certificate);
  return { macaroonFile, tlsCertFile };
}

/** The settings of a till that takes orders paid through the node, without limits. */
export function lightningSettings(folder: string, node: BenchLightningNode): SettingsInput {
  return {
    mode: 'sandbox',
    limits: { requestsPerMinute: NO_LIMIT },
    orders: { openPerAccount: NO_LIMIT, addressesPerDay: NO_LIMIT },
    plugins: [
      { use: 'sandbox' },
      { use: 'lightning', options: { lnd: { restUrl: node.url, ...lightningFiles(folder, node) } } },
    ],
  };
}
