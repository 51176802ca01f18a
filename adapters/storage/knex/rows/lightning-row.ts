import type { LightningPayment, NewLightningPayment } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { names } from './columns.ts';
import { integer, integerOrNull, text, textOrNull, units } from './values.ts';

/** The columns of a new payment. */
export const NEW_PAYMENT_COLUMNS: readonly Column<NewLightningPayment>[] = [
  { name: 'payment_hash', kind: 'text', of: (p) => p.paymentHash },
  { name: 'transfer_id', kind: 'text', of: (p) => p.transferId },
  { name: 'payment_request', kind: 'text', of: (p) => p.paymentRequest },
  { name: 'msat', kind: 'numeric', of: (p) => (p.msat === null ? null : String(p.msat)) },
  { name: 'expires_at', kind: 'bigint', of: (p) => p.expiresAt },
];
const ANSWERS = ['given_at', 'refused_at', 'refusals', 'refused_since', 'cancel_reason'];

/** Every column of a payment `p` and of its attempts `a`. */
export const PAYMENT_COLUMNS = `${names(NEW_PAYMENT_COLUMNS, 'p.')}, ${ANSWERS.map((name) => `a.${name}`).join(', ')}`;

/** The payment in a row of `lightning_payments`. */
export function lightningPaymentOf(row: Row): LightningPayment {
  return {
    paymentHash: text(row, 'payment_hash'),
    transferId: text(row, 'transfer_id') as LightningPayment['transferId'],
    paymentRequest: text(row, 'payment_request'),
    msat: textOrNull(row, 'msat') === null ? null : units(row, 'msat'),
    expiresAt: integer(row, 'expires_at'),
    givenAt: integerOrNull(row, 'given_at'),
    refusedAt: integerOrNull(row, 'refused_at'),
    refusals: integerOrNull(row, 'refusals') ?? 0,
    refusedSince: integerOrNull(row, 'refused_since'),
    cancelReason: textOrNull(row, 'cancel_reason'),
  };
}
