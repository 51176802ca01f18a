import { present } from '../kernel/index.ts';
import type { Clock, EventBus, IdGenerator, Logger, Metrics, OrderId, Storage, Transaction } from '../kernel/index.ts';
import type { LatePayments, OrderHistoryEntry } from '../orders/index.ts';
import type { ChainAdapter, ObservedTransfer } from '../chain/index.ts';
import { raiseChanged, raiseContradicted } from './changed-alert.ts';
import { recordTransfers } from './record-transfer.ts';
import type { OwnedTransfer, Recorded } from './record-transfer.ts';
import { raiseUnassigned } from './unassigned-alert.ts';

export interface RecordDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly latePayments: LatePayments;
}

/** The transfers with their orders, in locking order: by order id, then by place in the chain. */
export async function ownedTransfers(
  { code }: Pick<ChainAdapter, 'code'>,
  { storage: { deposits, orders }, latePayments }: Pick<RecordDeps, 'storage' | 'latePayments'>,
  transfers: readonly ObservedTransfer[],
): Promise<readonly OwnedTransfer[]> {
  if (transfers.length === 0) return [];
  await latePayments.prepare(transfers.map(({ currency }) => currency));
  const keys = [...new Set(transfers.map(({ toKey }) => toKey))];
  const owners = new Map((await deposits.owners(code, keys)).map((owner) => [owner.key, owner]));
  const histories = new Map<OrderId, readonly OrderHistoryEntry[]>();
  const owned: OwnedTransfer[] = [];
  for (const transfer of transfers) {
    const owner = present(owners.get(transfer.toKey), `owner of an address on ${code}`);
    const history = histories.get(owner.orderId) ?? (await orders.history(owner.orderId));
    histories.set(owner.orderId, history);
    owned.push({ transfer, owner, history });
  }
  return owned.sort((a, b) => (a.owner.orderId < b.owner.orderId ? -1 : a.owner.orderId > b.owner.orderId ? 1 : 0));
}

/** Stores transfers. */
export function recordOwned(
  tx: Transaction,
  chain: ChainAdapter,
  owned: readonly OwnedTransfer[],
  { clock, ids, latePayments }: Pick<RecordDeps, 'clock' | 'ids' | 'latePayments'>,
): Promise<Recorded> {
  const { code, policy } = chain;
  return recordTransfers(tx, owned, {
    chain: code,
    now: clock.now(),
    ids,
    mempool: chain.mempool !== undefined,
    policy,
    latePayments,
  });
}

/** Announces stored transfers after the commit, once for each order. */
export function announceRecorded(
  { events, logger, metrics }: Pick<RecordDeps, 'events' | 'logger' | 'metrics'>,
  { code, assets }: Pick<ChainAdapter, 'code' | 'assets'>,
  owned: readonly Pick<OwnedTransfer, 'owner'>[],
  { added, changed, contradicted }: Recorded,
): void {
  if (owned.length > 0) metrics.count('tillgate_deposits_total', { chain: code, event: 'seen' }, owned.length);
  for (const orderId of new Set(owned.map(({ owner }) => owner.orderId))) events.emit('order.payment', { orderId });
  const channels = { events, logger, metrics };
  raiseUnassigned(channels, assets, added);
  raiseChanged(channels, assets, changed);
  raiseContradicted(channels, assets, contradicted);
}
