import { assert, LIGHTNING_ASSET, TillgateError } from '../kernel/index.ts';
import type { EntryId, Transaction, TransferId } from '../kernel/index.ts';
import type { NetworkCost } from './transfer-entries.ts';
import { paidEntry } from './transfer-entries.ts';
import { postEntry } from '../ledger/index.ts';
import { bookPayment } from './finish-payment.ts';
import type { OrderMove } from '../orders/index.ts';
import { endReturn } from './end-return.ts';
import { refundOrder } from './finish-payout.ts';
import type { FinishContext } from './finish-payout.ts';
import { requireTransfer } from './review-transfer.ts';
import { obtainedUnits } from './transfer.ts';
import type { Transfer } from './transfer.ts';

export type SettleContext = Omit<FinishContext, 'payments'>;

/** The transaction by which an operator found a held payment to be paid. */
export interface FoundPayment {
  readonly txHash: string;
  /** The network's fee, in units of the native coin. */
  readonly cost: NetworkCost;
  /** The amount that the receiver got, in the transfer's currency; the rest of the amount is the charged fee. */
  readonly obtainedUnits: bigint;
  /** On Lightning, true when the node itself reports this amount. Without it, only the invoice's amount is accepted. */
  readonly isReportedByNode?: boolean;
}

/**
 * Books a held payment as paid by a transaction that is missing from this database, because it was made after the
 * backup from which it was restored. Rejecting it instead would give the merchant the amount a second time.
 *
 * For a Lightning payment, the caller must have queried the node, see `core/payouts/found-payment.ts`.
 *
 * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when it is not held, or its receiver cannot have got that amount
 */
export async function settleHeldTransfer(
  tx: Transaction,
  id: TransferId,
  found: FoundPayment,
  context: SettleContext,
): Promise<{ readonly transfer: Transfer; readonly orders: readonly OrderMove[] }> {
  const { ids, now } = context;
  const held = await requireTransfer(tx, id);
  if (held.status !== 'HELD')
    throw new TillgateError('STATE_CONFLICT', `The transfer is ${held.status}; only one that is HELD can be settled.`);
  if (held.chain === LIGHTNING_ASSET.chain) return settlePayment(tx, held, found, context);
  const { txHash, cost, obtainedUnits: obtained } = found;
  const feeUnits = held.units - obtained;
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
  await tx.deposits.updateTransaction(id, { status: 'SUCCESS', txHash, fee: feeUnits, obtained });
  const transfer: Transfer = { ...held, ...changes, status: 'CONFIRMED' };
  await endReturn(tx, transfer, 0n, context);
  return {
    transfer,
    orders: await refundOrder(tx, held, txHash, context),
  };
}

/**
 * Books what the invoice got; the rest of the reserve is released. The node may have paid another amount than the
 * invoice's, by another invoice with the same payment hash: the account is charged at most the amount that it asked for.
 */
async function settlePayment(
  tx: Transaction,
  held: Transfer,
  { txHash: paymentHash, cost, obtainedUnits: obtained, isReportedByNode }: FoundPayment,
  { ids, now }: SettleContext,
): Promise<{ readonly transfer: Transfer; readonly orders: readonly OrderMove[] }> {
  const asked = obtainedUnits(held);
  if (obtained !== asked && isReportedByNode !== true)
    throw new TillgateError('STATE_CONFLICT', `Its invoice gets ${asked} msat, and the node reports no other amount.`);
  const paid = { paymentHash, msat: obtained, feeMsat: cost.units };
  return { transfer: await bookPayment(tx, held, paid, { ids, now }), orders: [] };
}
