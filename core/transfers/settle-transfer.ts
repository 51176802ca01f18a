import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import { TillgateError } from '../kernel/errors.ts';
import { assert } from '../kernel/guard.ts';
import type { EntryId, TransferId } from '../kernel/ids.ts';
import type { NetworkCost } from '../ledger/transfer-entries.ts';
import { paidEntry } from '../ledger/transfer-entries.ts';
import { postEntry } from '../ledger/post-entry.ts';
import type { OrderMove } from '../orders/order-state-machine.ts';
import type { Transaction } from '../ports/storage.ts';
import { endReturn } from '../deposits/end-return.ts';
import { refundOrder } from './finish-payout.ts';
import type { FinishContext } from './finish-payout.ts';
import { requireTransfer } from './review-transfer.ts';
import type { Transfer } from './transfer.ts';

export type SettleContext = Omit<FinishContext, 'payments'>;

/** The transaction in which an operator found a held payment. */
export interface FoundPayment {
  readonly txHash: string;
  /** What the network took, in units of the chain's own coin. */
  readonly cost: NetworkCost;
  /** What the receiver got, in the transfer's currency; the rest of the amount is the fee that is charged. */
  readonly obtainedUnits: bigint;
}

/**
 * Books a held payment as paid by a transaction that this database does not know: it was made after the backup that was
 * restored. Rejecting it instead would give the merchant the amount a second time.
 *
 * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when it is not held, or is a Lightning payment, which the node settles
 */
export async function settleHeldTransfer(
  tx: Transaction,
  id: TransferId,
  { txHash, cost, obtainedUnits }: FoundPayment,
  context: SettleContext,
): Promise<{ readonly transfer: Transfer; readonly orders: readonly OrderMove[] }> {
  const { ids, now } = context;
  const held = await requireTransfer(tx, id);
  if (held.status !== 'HELD')
    throw new TillgateError('STATE_CONFLICT', `The transfer is ${held.status}; only one that is HELD can be settled.`);
  if (held.chain === LIGHTNING_ASSET.chain)
    throw new TillgateError(
      'STATE_CONFLICT',
      'Approve it: the Lightning node is asked by the payment hash, and pays only what it has not paid.',
    );
  const feeUnits = held.units - obtainedUnits;
  if (feeUnits < 0n || feeUnits >= held.units)
    throw new TillgateError(
      'STATE_CONFLICT',
      'The receiver of a transfer gets more than nothing and no more than its amount.',
    );
  const changes = { feeUnits, reason: null, updatedAt: now, finishedAt: now };
  assert(await tx.transfers.move(id, 'HELD', 'CONFIRMED', changes), `transfer ${id} changed while locked`);
  assert(
    await postEntry(tx, paidEntry(ids.next() as EntryId, now, { ...held, feeUnits }, cost)),
    `transfer ${id} is paid twice`,
  );
  await tx.deposits.updateTransaction(id, { status: 'SUCCESS', txHash, fee: feeUnits, obtained: obtainedUnits });
  const transfer: Transfer = { ...held, ...changes, status: 'CONFIRMED' };
  await endReturn(tx, transfer, 0n, context);
  return {
    transfer,
    orders: await refundOrder(tx, held, txHash, context),
  };
}
