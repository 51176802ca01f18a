import { raiseAlert } from '../notify/index.ts';
import { present } from '../kernel/index.ts';
import type { ChainAdapter } from '../chain/index.ts';
import type { Lease } from '../kernel/index.ts';
import { raiseTakenBack } from './changed-alert.ts';
import type { DifferingBlock } from './confirm-effects.ts';
import { takeBack } from './orphan-deposits.ts';
import type { Loss } from './orphan-deposits.ts';
import { announceRecorded, ownedTransfers, recordOwned } from './owned-transfers.ts';
import type { RecordDeps } from './owned-transfers.ts';
import type { Recorded } from './record-transfer.ts';

/** The losses of the reversed deposits, and the deposits that were recorded instead. */
interface Corrected {
  readonly losses: readonly Loss[];
  readonly recorded: Recorded;
}

/**
 * Reverses deposits that a second reading of their block does not confirm, and records the transfers of that reading
 * instead, in one transaction, with an alert. The new deposits are SEEN: their block is read once more before they are
 * credited.
 *
 * @returns the number of reversed deposits; 0 when the block is no longer part of the followed chain
 */
export async function correctDeposits(
  chain: ChainAdapter,
  lease: Lease,
  { deposits, transfers }: DifferingBlock,
  deps: RecordDeps,
): Promise<number> {
  const { storage, clock, ids, events } = deps;
  const { code, assets } = chain;
  const { blockHeight: height, blockHash: hash } = present(deposits[0], 'a deposit to be taken back');
  const owned = await ownedTransfers(chain, deps, transfers);
  const corrected = await storage.transaction<Corrected | null>(async (tx) => {
    await tx.leases.check(lease);
    if (!(await tx.chains.holds(code, { height, hash }))) return null;
    const orders = new Set([...deposits, ...owned.map(({ owner }) => owner)].map(({ orderId }) => orderId));
    for (const id of [...orders].sort()) await tx.orders.lock(id);
    const now = clock.now();
    const context = { chain: code, assets, ancestorHeight: height - 1, now, ids, mempool: chain.mempool !== undefined };
    const words = `A second reading of block ${height} did not find`;
    const { losses } = await takeBack(tx, deposits, context, { rule: 'payment-changed', words });
    return { losses, recorded: await recordOwned(tx, chain, owned, deps) };
  });
  if (corrected === null) return 0;
  raiseTakenBack(deps, assets, deposits);
  for (const { orderId } of deposits) events.emit('order.payment', { orderId });
  // `raiseTakenBack` has raised the alert of the replaced deposits.
  announceRecorded(deps, chain, owned, { ...corrected.recorded, changed: [] });
  for (const { accountId, reason } of corrected.losses) raiseAlert(deps, 'loss', `account ${accountId}`, reason);
  return deposits.length;
}
