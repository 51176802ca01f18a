import type { LightningPayment } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integer, text, textOrNull, units } from './values.ts';

export const LIGHTNING_PAYMENT_COLUMNS: readonly Column<LightningPayment>[] = [
  { name: 'payment_hash', kind: 'text', of: (p) => p.paymentHash },
  { name: 'transfer_id', kind: 'text', of: (p) => p.transferId },
  { name: 'payment_request', kind: 'text', of: (p) => p.paymentRequest },
  { name: 'msat', kind: 'numeric', of: (p) => (p.msat === null ? null : String(p.msat)) },
  { name: 'expires_at', kind: 'bigint', of: (p) => p.expiresAt },
];

/** The payment in a row of `lightning_payments`. */
export function lightningPaymentOf(row: Row): LightningPayment {
  return {
    paymentHash: text(row, 'payment_hash'),
    transferId: text(row, 'transfer_id') as LightningPayment['transferId'],
    paymentRequest: text(row, 'payment_request'),
    msat: textOrNull(row, 'msat') === null ? null : units(row, 'msat'),
    expiresAt: integer(row, 'expires_at'),
  };
}
