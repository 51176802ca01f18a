import type { Lease, TransferId } from '../kernel/index.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { newTransfer } from './transfer.ts';
import type { Transfer, TransferKind } from './transfer.ts';

/** The fields of one of the till's own moves. */
export type OwnMove = Pick<
  Transfer,
  'currency' | 'units' | 'feeUnits' | 'maxFeeUnits' | 'sourceAddress' | 'sourceIndex' | 'toAddress'
>;

/** Stores one of the till's own moves. @returns false when one of its kind is already in progress */
export async function queueMove(
  { code: chain }: Pick<PayingChain, 'code'>,
  { storage, ids, clock, metrics }: Pick<PayoutDeps, 'storage' | 'ids' | 'clock' | 'metrics'>,
  lease: Lease,
  kind: TransferKind,
  move: OwnMove,
): Promise<boolean> {
  const transfer = newTransfer(
    { ...move, id: ids.next() as TransferId, kind, chain, accountId: null, orderId: null },
    clock.now(),
  );
  const added = await storage.transaction(async (tx) => {
    await tx.leases.check(lease);
    return tx.transfers.add(transfer);
  });
  if (added) metrics.count('tillgate_transfers_total', { chain, kind, status: 'REQUESTED' });
  return added;
}
