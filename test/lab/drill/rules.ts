import type { Hex } from 'viem';
import type { SqlStorage } from '../../../adapters/storage/knex/index.ts';
import { checkLedger } from '../../../core/index.ts';
import type { OrderId, TransferId } from '../../../core/index.ts';
import type { ReceivedCallback } from '../../host/merchant.ts';
import type { Anvil } from '../../support/anvil.ts';
import { waitFor } from '../../support/wait.ts';
import type { Load } from './load.ts';

const SETTLED_MS = 120_000;

/** What the rules are checked against. */
export interface World {
  readonly storage: SqlStorage;
  readonly anvil: Anvil;
  readonly load: Load;
  readonly received: readonly ReceivedCallback[];
  readonly hot: string;
  readonly payee: string;
}

/** What broke a rule, in words; both empty is what has to be. */
export interface Findings {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** Waits until what was acknowledged has been done: payments credited, callbacks delivered, payouts confirmed. */
export async function settle(world: World): Promise<void> {
  let open: readonly string[] = [];
  await waitFor(async () => (open = await unfinished(world)).length === 0, {
    timeoutMs: SETTLED_MS,
    intervalMs: 300,
    describe: () => `an end of ${open.slice(0, 8).join(', ')} (${open.length})`,
  });
}

async function unfinished({ storage, load }: World): Promise<readonly string[]> {
  const open: string[] = [];
  for (const { id, paid } of load.orders.filter((order) => order.paid)) {
    const order = await storage.orders.find(id as OrderId);
    const callbacks = await storage.callbacks.byOrder(id as OrderId);
    if (order === null || !paid) continue;
    if (order.status !== 'SUCCESS') open.push(`order ${id} is ${order.status}`);
    else if (callbacks.some(({ status }) => status !== 'DELIVERED')) open.push(`callback of order ${id}`);
  }
  for (const id of load.withdrawals) {
    const transfer = await storage.transfers.find(id as TransferId);
    if (transfer !== null && transfer.status !== 'CONFIRMED') open.push(`payout ${id} is ${transfer.status}`);
  }
  return open;
}

/** What was acknowledged and is not there, and what has happened more than once. */
export async function check(world: World): Promise<Findings> {
  const { storage, load } = world;
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const { id, paid } of load.orders) {
    if ((await storage.orders.find(id as OrderId)) === null) lost.push(`order ${id}`);
    else if (paid) about(world, id, lost, doubled);
  }
  const paid = await paymentsTo(world);
  for (const id of load.withdrawals) {
    const transfer = await storage.transfers.find(id as TransferId);
    const times = transfer === null ? 0 : paid.filter((units) => units === transfer.units - transfer.feeUnits).length;
    if (times === 0) lost.push(`payout ${id}`);
    if (times > 1) doubled.push(`payout ${id}, ${times} times`);
  }
  if (paid.length > load.withdrawals.length)
    doubled.push(`${paid.length} payments for ${load.withdrawals.length} payouts`);
  await load.checkRevoked();
  lost.push(...load.accepted, ...(await checkLedger(storage)).map((problem) => `ledger: ${JSON.stringify(problem)}`));
  return { lost, doubled };
}

/** One event, told at least once and always under the same id. */
function about({ received }: World, order: string, lost: string[], doubled: string[]): void {
  const ids = new Set(received.filter(({ body }) => body.includes(order)).map(({ headers }) => headers['webhook-id']));
  if (ids.size === 0) lost.push(`callback of order ${order}`);
  if (ids.size > 1) doubled.push(`callback of order ${order}, under ${ids.size} ids`);
}

/** The units of each payment of the hot wallet to the merchant, by the chain. */
export async function paymentsTo({ anvil, hot, payee }: Pick<World, 'anvil' | 'hot' | 'payee'>): Promise<bigint[]> {
  const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
  const found: bigint[] = [];
  for (let height = 1; height <= head; height += 1) {
    const block = await anvil.rpc<Block>('eth_getBlockByNumber', [`0x${height.toString(16)}`, true]);
    for (const { from, to, value } of block.transactions)
      if (from === hot.toLowerCase() && to === payee.toLowerCase()) found.push(BigInt(value));
  }
  return found;
}

interface Block {
  readonly transactions: readonly { readonly from: string; readonly to: string | null; readonly value: Hex }[];
}
