import { authorizationKey } from '../../../../core/index.ts';
import type {
  AccountId,
  Attempt,
  Authorization,
  ClaimId,
  DepositId,
  Payout,
  PayoutBatchId,
  PayoutChanges,
  Holding,
  LiveTransfer,
  SpendableCoin,
  Transfer,
  TransferApproval,
  TransferChanges,
  TransferKind,
} from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import { integer, integerOrNull, text, textOrNull, units } from './values.ts';

const UNLISTED_KINDS: readonly TransferKind[] = ['return', 'charge', 'payout'];

export const TRANSFER_COLUMNS: readonly Column<Transfer>[] = [
  { name: 'id', kind: 'text', of: (t) => t.id },
  // The column's list of kinds is older than returns, x402 charges and payouts: a withdrawal with a deposit and without
  // an account is a return, one with an authorization is a charge, and one of a claim or a batch is a payout.
  { name: 'kind', kind: 'text', of: (t) => (UNLISTED_KINDS.includes(t.kind) ? 'withdrawal' : t.kind) },
  { name: 'claim_id', kind: 'text', of: (t) => t.claimId ?? null },
  { name: 'batch_id', kind: 'text', of: (t) => t.batchId ?? null },
  { name: 'not_before', kind: 'bigint', of: (t) => t.notBefore ?? null },
  { name: 'deposit_id', kind: 'text', of: (t) => t.depositId ?? null },
  {
    name: 'charge_authorization',
    kind: 'text',
    of: (t) => (t.authorization === undefined ? null : writeAuthorization(t.authorization)),
  },
  {
    name: 'authorization_key',
    kind: 'text',
    of: (t) => (t.authorization === undefined ? null : authorizationKey(t.authorization)),
  },
  { name: 'requested_by', kind: 'text', of: (t) => t.requestedBy ?? null },
  { name: 'account_id', kind: 'text', of: (t) => t.accountId },
  { name: 'order_id', kind: 'text', of: (t) => t.orderId },
  { name: 'chain', kind: 'text', of: (t) => t.chain },
  { name: 'currency', kind: 'text', of: (t) => t.currency },
  { name: 'units', kind: 'numeric', of: (t) => String(t.units) },
  { name: 'fee_units', kind: 'numeric', of: (t) => String(t.feeUnits) },
  { name: 'max_fee_units', kind: 'numeric', of: (t) => String(t.maxFeeUnits) },
  { name: 'source_address', kind: 'text', of: (t) => t.sourceAddress },
  { name: 'source_index', kind: 'bigint', of: (t) => t.sourceIndex },
  { name: 'to_address', kind: 'text', of: (t) => t.toAddress },
  { name: 'status', kind: 'text', of: (t) => t.status },
  { name: 'payout_id', kind: 'text', of: (t) => t.payoutId },
  { name: 'reason', kind: 'text', of: (t) => t.reason },
  { name: 'deferred_at', kind: 'bigint', of: (t) => t.deferredAt },
  { name: 'created_at', kind: 'bigint', of: (t) => t.createdAt },
  { name: 'updated_at', kind: 'bigint', of: (t) => t.updatedAt },
  { name: 'finished_at', kind: 'bigint', of: (t) => t.finishedAt },
];

function writeAuthorization({ units: total, validAfter, validBefore, ...rest }: Authorization): string {
  return JSON.stringify({ ...rest, units: `${total}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` });
}

function readAuthorization(json: string): Authorization {
  const stored = JSON.parse(json) as Readonly<Record<keyof Authorization, string>>;
  const [total, validAfter, validBefore] = [stored.units, stored.validAfter, stored.validBefore].map(BigInt);
  return { ...stored, units: total ?? 0n, validAfter: validAfter ?? 0n, validBefore: validBefore ?? 0n };
}

function kindOf(row: Row): TransferKind {
  const kind = text(row, 'kind') as TransferKind;
  if (kind !== 'withdrawal') return kind;
  if (textOrNull(row, 'charge_authorization') !== null) return 'charge';
  if (textOrNull(row, 'deposit_id') !== null) return 'return';
  return textOrNull(row, 'claim_id') === null && textOrNull(row, 'batch_id') === null ? kind : 'payout';
}

/** The transfer in a row of `transfers`. */
export function transferOf(row: Row): Transfer {
  const depositId = textOrNull(row, 'deposit_id') as DepositId | null;
  const authorization = textOrNull(row, 'charge_authorization');
  const requestedBy = textOrNull(row, 'requested_by') as AccountId | null;
  const claimId = textOrNull(row, 'claim_id') as ClaimId | null;
  const batchId = textOrNull(row, 'batch_id') as PayoutBatchId | null;
  const notBefore = integerOrNull(row, 'not_before');
  return {
    id: text(row, 'id') as Transfer['id'],
    kind: kindOf(row),
    accountId: textOrNull(row, 'account_id') as Transfer['accountId'],
    orderId: textOrNull(row, 'order_id') as Transfer['orderId'],
    ...(depositId === null ? {} : { depositId }),
    ...(authorization === null ? {} : { authorization: readAuthorization(authorization) }),
    ...(requestedBy === null ? {} : { requestedBy }),
    ...(claimId === null ? {} : { claimId }),
    ...(batchId === null ? {} : { batchId }),
    ...(notBefore === null ? {} : { notBefore }),
    chain: text(row, 'chain'),
    currency: text(row, 'currency'),
    units: units(row, 'units'),
    feeUnits: units(row, 'fee_units'),
    maxFeeUnits: units(row, 'max_fee_units'),
    sourceAddress: text(row, 'source_address'),
    sourceIndex: integerOrNull(row, 'source_index'),
    toAddress: text(row, 'to_address'),
    status: text(row, 'status') as Transfer['status'],
    payoutId: textOrNull(row, 'payout_id') as Transfer['payoutId'],
    reason: textOrNull(row, 'reason'),
    deferredAt: integerOrNull(row, 'deferred_at'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    finishedAt: integerOrNull(row, 'finished_at'),
  };
}

/** The operator at the command line has no account; an empty text keeps the key of such a row unique. */
export const APPROVAL_COLUMNS: readonly Column<TransferApproval>[] = [
  { name: 'transfer_id', kind: 'text', of: (a) => a.transferId },
  { name: 'held_at', kind: 'bigint', of: (a) => a.heldAt },
  { name: 'approver_id', kind: 'text', of: (a) => a.approverId ?? '' },
  { name: 'approved_at', kind: 'bigint', of: (a) => a.at },
];

/** The approval in a row of `transfer_approvals`. */
export function approvalOf(row: Row): TransferApproval {
  const approver = text(row, 'approver_id');
  return {
    transferId: text(row, 'transfer_id') as TransferApproval['transferId'],
    heldAt: integer(row, 'held_at'),
    approverId: approver === '' ? null : (approver as TransferApproval['approverId']),
    at: integer(row, 'approved_at'),
  };
}

/** The columns of a {@link LiveTransfer}. */
export function liveTransferOf(row: Row): LiveTransfer {
  return {
    kind: text(row, 'kind') as LiveTransfer['kind'],
    status: text(row, 'status') as LiveTransfer['status'],
    isMerchants: textOrNull(row, 'account_id') !== null || textOrNull(row, 'deposit_id') !== null,
    currency: text(row, 'currency'),
    units: units(row, 'units'),
    feeUnits: units(row, 'fee_units'),
    maxFeeUnits: units(row, 'max_fee_units'),
    createdAt: integer(row, 'created_at'),
  };
}

/** The columns that changes of a transfer fill. */
export function transferChange({
  units: total,
  feeUnits,
  maxFeeUnits,
  payoutId,
  reason,
  notBefore,
  deferredAt,
  updatedAt,
  finishedAt,
}: TransferChanges): Change {
  const change: (readonly [string, string | number | null])[] = [['updated_at', updatedAt]];
  if (total !== undefined) change.push(['units', String(total)]);
  if (feeUnits !== undefined) change.push(['fee_units', String(feeUnits)]);
  if (maxFeeUnits !== undefined) change.push(['max_fee_units', String(maxFeeUnits)]);
  if (payoutId !== undefined) change.push(['payout_id', payoutId]);
  if (reason !== undefined) change.push(['reason', reason]);
  if (notBefore !== undefined) change.push(['not_before', notBefore]);
  if (deferredAt !== undefined) change.push(['deferred_at', deferredAt]);
  if (finishedAt !== undefined) change.push(['finished_at', finishedAt]);
  return change;
}

export const PAYOUT_COLUMNS: readonly Column<Payout>[] = [
  { name: 'id', kind: 'text', of: (b) => b.id },
  { name: 'chain', kind: 'text', of: (b) => b.chain },
  { name: 'source_address', kind: 'text', of: (b) => b.sourceAddress },
  { name: 'source_index', kind: 'bigint', of: (b) => b.sourceIndex },
  { name: 'nonce', kind: 'bigint', of: (b) => b.nonce },
  { name: 'status', kind: 'text', of: (b) => b.status },
  { name: 'mined_txid', kind: 'text', of: (b) => b.minedTxid },
  { name: 'mined_height', kind: 'bigint', of: (b) => b.minedHeight },
  { name: 'cancel_reason', kind: 'text', of: (b) => b.cancelReason },
  { name: 'stuck_at', kind: 'bigint', of: (b) => b.stuckAt },
  { name: 'sent_at', kind: 'bigint', of: (b) => b.sentAt },
  { name: 'created_at', kind: 'bigint', of: (b) => b.createdAt },
];

/** The payout in a row of `payouts`. */
export function payoutOf(row: Row): Payout {
  return {
    id: text(row, 'id') as Payout['id'],
    chain: text(row, 'chain'),
    sourceAddress: text(row, 'source_address'),
    sourceIndex: integerOrNull(row, 'source_index'),
    nonce: integerOrNull(row, 'nonce'),
    status: text(row, 'status') as Payout['status'],
    minedTxid: textOrNull(row, 'mined_txid'),
    minedHeight: integerOrNull(row, 'mined_height'),
    cancelReason: textOrNull(row, 'cancel_reason'),
    stuckAt: integerOrNull(row, 'stuck_at'),
    sentAt: integerOrNull(row, 'sent_at'),
    createdAt: integer(row, 'created_at'),
  };
}

/** The columns that changes of a payout fill. */
export function payoutChange({ sentAt, minedTxid, minedHeight, cancelReason, stuckAt }: PayoutChanges): Change {
  const change: (readonly [string, string | number | null])[] = [];
  if (sentAt !== undefined) change.push(['sent_at', sentAt]);
  if (minedTxid !== undefined) change.push(['mined_txid', minedTxid]);
  if (minedHeight !== undefined) change.push(['mined_height', minedHeight]);
  if (cancelReason !== undefined) change.push(['cancel_reason', cancelReason]);
  if (stuckAt !== undefined) change.push(['stuck_at', stuckAt]);
  return change;
}

/** The columns of `payout_attempts` except `chain`, which is the payout's. */
export const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  { name: 'payout_id', kind: 'text', of: (a) => a.payoutId },
  { name: 'number', kind: 'bigint', of: (a) => a.number },
  { name: 'kind', kind: 'text', of: (a) => a.kind },
  { name: 'txid', kind: 'text', of: (a) => a.txid },
  { name: 'raw', kind: 'text', of: (a) => a.raw },
  { name: 'fee_units', kind: 'numeric', of: (a) => String(a.feeUnits) },
  { name: 'terms', kind: 'text', of: (a) => a.terms },
  { name: 'expires_at', kind: 'bigint', of: (a) => a.expiresAt },
  { name: 'created_at', kind: 'bigint', of: (a) => a.createdAt },
];

/** The attempt in a row of `payout_attempts`. */
export function attemptOf(row: Row): Attempt {
  return {
    payoutId: text(row, 'payout_id') as Attempt['payoutId'],
    number: integer(row, 'number'),
    kind: text(row, 'kind') as Attempt['kind'],
    txid: text(row, 'txid'),
    raw: text(row, 'raw'),
    feeUnits: units(row, 'fee_units'),
    terms: text(row, 'terms'),
    expiresAt: integerOrNull(row, 'expires_at'),
    createdAt: integer(row, 'created_at'),
  };
}

/** The columns of `holdings` except its own number. */
export const HOLDING_COLUMNS: readonly Column<Holding>[] = [
  { name: 'chain', kind: 'text', of: (h) => h.chain },
  { name: 'ref', kind: 'text', of: (h) => h.ref },
  { name: 'address', kind: 'text', of: (h) => h.address },
  { name: 'address_index', kind: 'bigint', of: (h) => h.index },
  { name: 'currency', kind: 'text', of: (h) => h.currency },
  { name: 'units', kind: 'numeric', of: (h) => String(h.units) },
  { name: 'status', kind: 'text', of: (h) => h.status },
  { name: 'payout_id', kind: 'text', of: (h) => h.payoutId },
];

/** The holding in a row of `holdings`. */
export function holdingOf(row: Row): Holding {
  return {
    ...coinOf(row),
    chain: text(row, 'chain'),
    currency: text(row, 'currency'),
    status: text(row, 'status') as Holding['status'],
    payoutId: textOrNull(row, 'payout_id') as Holding['payoutId'],
  };
}

/** The coin in a row of `holdings`. */
export function coinOf(row: Row): SpendableCoin {
  return {
    ref: text(row, 'ref'),
    address: text(row, 'address'),
    index: integerOrNull(row, 'address_index'),
    units: units(row, 'units'),
  };
}
