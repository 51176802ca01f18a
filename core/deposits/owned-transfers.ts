import { present } from '../kernel/guard.ts';
import type { ChainAdapter, ObservedTransfer } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { Deposit } from './deposit.ts';
import { recordTransfer } from './record-transfer.ts';
import type { OwnedTransfer } from './record-transfer.ts';
import { raiseUnassigned } from './unassigned-alert.ts';

export interface RecordDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The transfers with their orders, in the order of locking: by order id, then by place in the chain. */
export async function ownedTransfers(
  { code }: Pick<ChainAdapter, 'code'>,
  { deposits, orders }: Pick<Storage, 'deposits' | 'orders'>,
  transfers: readonly ObservedTransfer[],
): Promise<readonly OwnedTransfer[]> {
  if (transfers.length === 0) return [];
  const keys = [...new Set(transfers.map(({ toKey }) => toKey))];
  const owners = new Map((await deposits.owners(code, keys)).map((owner) => [owner.key, owner]));
  const owned: OwnedTransfer[] = [];
  for (const transfer of transfers) {
    const owner = present(owners.get(transfer.toKey), `owner of an address on ${code}`);
    owned.push({ transfer, owner, history: await orders.history(owner.orderId) });
  }
  return owned.sort((a, b) => (a.owner.orderId < b.owner.orderId ? -1 : a.owner.orderId > b.owner.orderId ? 1 : 0));
}

/** Stores transfers. @returns the deposits that were not known before */
export async function recordOwned(
  tx: Transaction,
  chain: ChainAdapter,
  owned: readonly OwnedTransfer[],
  { clock, ids }: Pick<RecordDeps, 'clock' | 'ids'>,
): Promise<readonly Deposit[]> {
  const { code, policy } = chain;
  const context = { chain: code, now: clock.now(), ids, mempool: chain.mempool !== undefined, policy };
  const added: Deposit[] = [];
  for (const transfer of owned) {
    const deposit = await recordTransfer(tx, transfer, context);
    if (deposit !== null) added.push(deposit);
  }
  return added;
}

/** Announces stored transfers after the commit. */
export function announceRecorded(
  { events, logger, metrics }: Pick<RecordDeps, 'events' | 'logger' | 'metrics'>,
  { code, assets }: Pick<ChainAdapter, 'code' | 'assets'>,
  orderIds: readonly Deposit['orderId'][],
  added: readonly Deposit[],
): void {
  for (const orderId of orderIds) {
    metrics.count('tillgate_deposits_total', { chain: code, event: 'seen' });
    events.emit('order.payment', { orderId });
  }
  raiseUnassigned({ events, logger, metrics }, assets, added);
}
