import type { Deposit, DepositChanges, TransactionChanges, TransactionRow } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import { integer, integerOrNull, jsonOf, jsonOrNull, text, textOrNull, units } from './values.ts';

export const DEPOSIT_COLUMNS: readonly Column<Deposit>[] = [
  { name: 'id', kind: 'text', of: (d) => d.id },
  { name: 'order_id', kind: 'text', of: (d) => d.orderId },
  { name: 'account_id', kind: 'text', of: (d) => d.accountId },
  { name: 'chain', kind: 'text', of: (d) => d.chain },
  { name: 'txid', kind: 'text', of: (d) => d.txid },
  { name: 'tx_index', kind: 'text', of: (d) => d.index },
  { name: 'block_height', kind: 'bigint', of: (d) => d.blockHeight },
  { name: 'block_hash', kind: 'text', of: (d) => d.blockHash },
  { name: 'currency', kind: 'text', of: (d) => d.currency },
  { name: 'units', kind: 'numeric', of: (d) => String(d.units) },
  { name: 'from_address', kind: 'text', of: (d) => d.fromAddress },
  { name: 'to_address', kind: 'text', of: (d) => d.toAddress },
  { name: 'status', kind: 'text', of: (d) => d.status },
  { name: 'seen_at', kind: 'bigint', of: (d) => d.seenAt },
  { name: 'paid_at', kind: 'bigint', of: (d) => d.paidAt },
  { name: 'credited_at', kind: 'bigint', of: (d) => d.creditedAt },
  { name: 'credits', kind: 'bigint', of: (d) => d.credits },
  { name: 'loss_units', kind: 'numeric', of: (d) => String(d.lossUnits) },
  { name: 'return_cost_units', kind: 'numeric', of: (d) => String(d.returnCostUnits) },
  { name: 'assignment', kind: 'text', of: (d) => d.assignment },
  { name: 'unassigned_reason', kind: 'text', of: (d) => d.unassignedReason },
  { name: 'least_confirmations', kind: 'bigint', of: (d) => d.leastConfirmations },
  { name: 'rate', kind: 'text', of: (d) => jsonOf(d.rate) },
];

/** The deposit in a row of `deposits`. */
export function depositOf(row: Row): Deposit {
  return {
    id: text(row, 'id') as Deposit['id'],
    orderId: text(row, 'order_id') as Deposit['orderId'],
    accountId: text(row, 'account_id') as Deposit['accountId'],
    chain: text(row, 'chain'),
    txid: text(row, 'txid'),
    index: text(row, 'tx_index'),
    blockHeight: integer(row, 'block_height'),
    blockHash: text(row, 'block_hash'),
    currency: text(row, 'currency'),
    units: units(row, 'units'),
    fromAddress: textOrNull(row, 'from_address'),
    toAddress: text(row, 'to_address'),
    status: text(row, 'status') as Deposit['status'],
    seenAt: integer(row, 'seen_at'),
    paidAt: integer(row, 'paid_at'),
    creditedAt: integerOrNull(row, 'credited_at'),
    credits: integer(row, 'credits'),
    lossUnits: units(row, 'loss_units'),
    returnCostUnits: units(row, 'return_cost_units'),
    assignment: text(row, 'assignment') as Deposit['assignment'],
    unassignedReason: textOrNull(row, 'unassigned_reason') as Deposit['unassignedReason'],
    leastConfirmations: integerOrNull(row, 'least_confirmations'),
    rate: jsonOrNull<NonNullable<Deposit['rate']>>(row, 'rate'),
  };
}

/** The columns that changes of a deposit fill. */
export function depositChange(changes: DepositChanges): Change {
  const { blockHeight, blockHash, creditedAt, credits, lossUnits, returnCostUnits, orderId, accountId } = changes;
  const change: (readonly [string, string | number | null])[] = [];
  if (blockHeight !== undefined) change.push(['block_height', blockHeight]);
  if (blockHash !== undefined) change.push(['block_hash', blockHash]);
  if (creditedAt !== undefined) change.push(['credited_at', creditedAt]);
  if (credits !== undefined) change.push(['credits', credits]);
  if (lossUnits !== undefined) change.push(['loss_units', String(lossUnits)]);
  if (returnCostUnits !== undefined) change.push(['return_cost_units', String(returnCostUnits)]);
  if (orderId !== undefined) change.push(['order_id', orderId]);
  if (accountId !== undefined) change.push(['account_id', accountId]);
  return change;
}

export const TRANSACTION_COLUMNS: readonly Column<TransactionRow>[] = [
  { name: 'id', kind: 'text', of: (t) => t.id },
  { name: 'account_id', kind: 'text', of: (t) => t.accountId },
  { name: 'number', kind: 'bigint', of: (t) => t.number },
  { name: 'type', kind: 'text', of: (t) => t.type },
  { name: 'status', kind: 'text', of: (t) => t.status },
  { name: 'order_id', kind: 'text', of: (t) => t.orderId },
  { name: 'chain', kind: 'text', of: (t) => t.chain },
  { name: 'currency', kind: 'text', of: (t) => t.currency },
  { name: 'units', kind: 'numeric', of: (t) => String(t.units) },
  { name: 'obtained', kind: 'numeric', of: (t) => String(t.obtained) },
  { name: 'fee', kind: 'numeric', of: (t) => String(t.fee) },
  { name: 'from_address', kind: 'text', of: (t) => t.fromAddress },
  { name: 'to_address', kind: 'text', of: (t) => t.toAddress },
  { name: 'tx_hash', kind: 'text', of: (t) => t.txHash },
  { name: 'happened_at', kind: 'bigint', of: (t) => t.at },
];

/** The transaction in a row of `transactions`. */
export function transactionOf(row: Row): TransactionRow {
  return {
    id: text(row, 'id'),
    accountId: text(row, 'account_id') as TransactionRow['accountId'],
    number: integer(row, 'number'),
    type: text(row, 'type') as TransactionRow['type'],
    status: text(row, 'status') as TransactionRow['status'],
    orderId: textOrNull(row, 'order_id') as TransactionRow['orderId'],
    chain: text(row, 'chain'),
    currency: text(row, 'currency'),
    units: units(row, 'units'),
    obtained: units(row, 'obtained'),
    fee: units(row, 'fee'),
    fromAddress: textOrNull(row, 'from_address'),
    toAddress: text(row, 'to_address'),
    txHash: textOrNull(row, 'tx_hash'),
    at: integer(row, 'happened_at'),
  };
}

/** The columns that changes of a transaction fill. */
export function transactionChange({ status, units: total, obtained, fee, txHash }: TransactionChanges): Change {
  const change: (readonly [string, string])[] = [];
  if (status !== undefined) change.push(['status', status]);
  if (total !== undefined) change.push(['units', String(total)]);
  if (obtained !== undefined) change.push(['obtained', String(obtained)]);
  if (fee !== undefined) change.push(['fee', String(fee)]);
  if (txHash !== undefined) change.push(['tx_hash', txHash]);
  return change;
}
