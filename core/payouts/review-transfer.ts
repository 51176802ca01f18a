import { assert, TillgateError } from '../kernel/index.ts';
import type { EntryId, IdGenerator, Millis, Transaction, TransferId } from '../kernel/index.ts';
import { postEntry } from '../ledger/index.ts';
import { releaseEntry } from './transfer-entries.ts';
import type { ChainAdapter } from '../chain/index.ts';
import { endClaim } from './end-claim.ts';
import { endReturn } from './end-return.ts';
import { cancelPayment } from './cancel-payment.ts';
import { decideOrderAgain } from './decide-order-again.ts';
import { paymentObstacle } from './payment-obstacle.ts';
import { isDelayed } from './pull-payment.ts';
import type { PayoutView, Transfer } from './transfer.ts';

/**
 * A transfer that may be approved, locked: a held one, or one that waits for the time before which it is not signed.
 *
 * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when it is neither, or must not be paid now: see `payment-obstacle.ts`
 */
export async function requireApprovable(tx: Transaction, id: TransferId, now: Millis): Promise<Transfer> {
  const transfer = await requireTransfer(tx, id);
  if (transfer.status !== 'HELD' && !isDelayed(transfer, now))
    throw new TillgateError(
      'STATE_CONFLICT',
      `The transfer is ${transfer.status}; only one that is HELD waits for approval.`,
    );
  const obstacle = await paymentObstacle(tx, transfer, now);
  if (obstacle !== null) throw new TillgateError('STATE_CONFLICT', `The transfer cannot be approved now. ${obstacle}`);
  return transfer;
}

/** Approves a held transfer for payment, or ends the delay of a requested one. @throws TillgateError as {@link requireApprovable} */
export async function approveTransfer(tx: Transaction, id: TransferId, now: Millis): Promise<Transfer> {
  const transfer = await requireApprovable(tx, id, now);
  const changes = { reason: null, notBefore: null, deferredAt: null, updatedAt: now };
  const changed =
    transfer.status === 'HELD'
      ? await tx.transfers.move(id, 'HELD', 'REQUESTED', changes)
      : await tx.transfers.update(id, 'REQUESTED', changes);
  assert(changed, `transfer ${id} changed while locked`);
  return { ...transfer, ...changes, status: 'REQUESTED' };
}

/**
 * Fails a transfer that was never signed and releases its reserve to the merchant; a deposit that it was to return is
 * unassigned again.
 *
 * @param kept - the cost of sweeps that were made for it; the owner is charged for it
 * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` once it is signed, because the bytes can still be sent
 */
export async function rejectTransfer(
  tx: Transaction,
  id: TransferId,
  reason: string,
  { now, ids, kept = 0n }: { readonly now: Millis; readonly ids: IdGenerator; readonly kept?: bigint },
): Promise<Transfer> {
  await tx.pullPayments.lockPaidBy([id]);
  const transfer = await requireTransfer(tx, id);
  if (transfer.status !== 'HELD' && transfer.status !== 'REQUESTED') {
    throw new TillgateError(
      'STATE_CONFLICT',
      `The transfer is ${transfer.status}; it can be rejected only before it is signed.`,
    );
  }
  const changes = { reason, updatedAt: now, finishedAt: now, ...(kept === 0n ? {} : { feeUnits: kept }) };
  assert(await tx.transfers.move(id, transfer.status, 'FAILED', changes), `transfer ${id} changed while locked`);
  if (transfer.accountId !== null || kept > 0n) {
    const entry = releaseEntry(ids.next() as EntryId, now, transfer, kept);
    assert(await postEntry(tx, entry), `transfer ${id} is released twice`);
  }
  if (transfer.accountId !== null) {
    const charged = kept === 0n ? {} : { fee: kept, obtained: 0n };
    await tx.deposits.updateTransaction(id, { status: 'FAILED', ...charged });
  }
  const failed: Transfer = { ...transfer, ...changes, status: 'FAILED' };
  await endReturn(tx, failed, kept, { now, ids });
  await endClaim(tx, failed, { now, ids });
  await decideOrderAgain(tx, failed, now);
  return failed;
}

/**
 * {@link rejectTransfer} at an operator's request. A transfer that waits in a restored backup may have been paid since,
 * so releasing its reserve before that is decided could give the coins away twice.
 *
 * @throws TillgateError as {@link rejectTransfer}; `STATE_CONFLICT` while it is undecided whether a backup was restored
 */
export async function rejectByOperator(
  tx: Transaction,
  id: TransferId,
  reason: string,
  context: { readonly now: Millis; readonly ids: IdGenerator; readonly kept?: bigint },
): Promise<Transfer> {
  if ((await tx.epochs.lock()).status === 'pending') {
    throw new TillgateError(
      'STATE_CONFLICT',
      'The database may be a restored backup, and the transfer may have been paid since: look with "restore status", then ' +
        'decide with "restore confirm" or "restore dismiss".',
    );
  }
  return rejectTransfer(tx, id, reason, context);
}

/** The reason of a cancellation without one. */
export const CANCELLED_BY_OPERATOR = 'Cancelled by an operator.';

/**
 * Requests that a signed transfer is cancelled: the payout runner replaces its transaction by one of the till to
 * itself, and the transfer fails once that one is final. All transfers of the same transaction are cancelled with it.
 * If the payment is mined first, it is paid. For a Lightning payment, the caller must have queried the node, see
 * `cancelPayment`.
 *
 * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` before it is signed, when it is mined or finished, and for a
 *   Lightning payment that the node may have
 */
export async function cancelTransfer(tx: Transaction, id: TransferId, reason: string): Promise<Transfer> {
  const transfer = await requireTransfer(tx, id);
  const refuse = (why: string): TillgateError => new TillgateError('STATE_CONFLICT', why);
  if (transfer.status === 'HELD' || transfer.status === 'REQUESTED')
    throw refuse(`The transfer is ${transfer.status}: nothing is signed for it, so it can be rejected.`);
  if (transfer.payoutId === null) {
    await cancelPayment(tx, transfer, reason);
    return transfer;
  }
  const payout = await tx.transfers.lockPayout(transfer.payoutId);
  if (payout?.status !== 'LIVE') throw refuse(`The transfer is ${transfer.status}; it cannot be cancelled any more.`);
  if (payout.minedHeight !== null)
    throw refuse(`Its transaction ${payout.minedTxid} is in block ${payout.minedHeight} already.`);
  if (transfer.kind === 'sweep')
    throw refuse('A sweep moves the till’s own coins to its hot wallet; there is nobody to give them back to.');
  if (payout.cancelReason === null) await tx.transfers.updatePayout(payout.id, { cancelReason: reason });
  return transfer;
}

/** @throws TillgateError `STATE_CONFLICT` on a chain whose signed transactions can neither be replaced nor expire */
export function requireCancellable(chain: ChainAdapter | null, { payout, attempts }: PayoutView): void {
  if (chain === null || chain.payments === null || chain.payments.cancel !== undefined) return;
  if (attempts.every(({ expiresAt }) => expiresAt !== null)) return;
  throw new TillgateError(
    'STATE_CONFLICT',
    `It cannot be cancelled: ${payout.chain} can neither replace a signed transaction nor does it expire there. It is paid once it is mined.`,
  );
}

export async function requireTransfer(tx: Transaction, id: TransferId): Promise<Transfer> {
  const transfer = await tx.transfers.lock(id);
  if (transfer === null) throw new TillgateError('NOT_FOUND', 'There is no such transfer.');
  return transfer;
}
