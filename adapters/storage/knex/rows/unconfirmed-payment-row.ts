import type { UnconfirmedPayment } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integer, jsonOf, jsonOrNull, text, units } from './values.ts';

export const UNCONFIRMED_PAYMENT_COLUMNS: readonly Column<UnconfirmedPayment>[] = [
  { name: 'chain', kind: 'text', of: (s) => s.chain },
  { name: 'txid', kind: 'text', of: (s) => s.txid },
  { name: 'tx_index', kind: 'text', of: (s) => s.index },
  { name: 'order_id', kind: 'text', of: (s) => s.orderId },
  { name: 'watch_key', kind: 'text', of: (s) => s.key },
  { name: 'currency', kind: 'text', of: (s) => s.currency },
  { name: 'units', kind: 'numeric', of: (s) => String(s.units) },
  { name: 'seen_at', kind: 'bigint', of: (s) => s.seenAt },
  { name: 'status', kind: 'text', of: (s) => s.status },
  { name: 'since', kind: 'bigint', of: (s) => s.since },
  { name: 'rate', kind: 'text', of: (s) => jsonOf(s.rate) },
];

/** The unconfirmed payment in a row of `unconfirmed_payments`. */
export function unconfirmedPaymentOf(row: Row): UnconfirmedPayment {
  return {
    chain: text(row, 'chain'),
    txid: text(row, 'txid'),
    index: text(row, 'tx_index'),
    orderId: text(row, 'order_id') as UnconfirmedPayment['orderId'],
    key: text(row, 'watch_key'),
    currency: text(row, 'currency'),
    units: units(row, 'units'),
    seenAt: integer(row, 'seen_at'),
    status: text(row, 'status') as UnconfirmedPayment['status'],
    since: integer(row, 'since'),
    rate: jsonOrNull<NonNullable<UnconfirmedPayment['rate']>>(row, 'rate'),
  };
}
