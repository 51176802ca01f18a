import type { DepositAddress, Order, OrderChanges, OrderHistoryEntry, OrderId, OrderPayment, RateEvidence } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import { flag, integer, integerOrNull, json, jsonOrNull, text, textOrNull, units } from './values.ts';

/** An order as it is stored; a new one has no number yet. */
type Stored = Omit<Order, 'number'> & { readonly number?: number };

const rate = (evidence: RateEvidence | null | undefined): string | null => (evidence == null ? null : JSON.stringify(evidence));

/** Every column of an order. `number` is given by the store. */
export const ORDER_COLUMNS: readonly Column<Stored>[] = [
  { name: 'id', kind: 'text', of: (o) => o.id },
  { name: 'account_id', kind: 'text', of: (o) => o.accountId },
  { name: 'number', kind: 'bigint', of: (o) => o.number ?? null },
  { name: 'credential_id', kind: 'text', of: (o) => o.credentialId },
  { name: 'type', kind: 'text', of: (o) => o.type },
  { name: 'platform', kind: 'text', of: (o) => o.platform },
  { name: 'status', kind: 'text', of: (o) => o.status },
  { name: 'vs_currency', kind: 'text', of: (o) => o.vsCurrency },
  { name: 'vs_price', kind: 'numeric', of: (o) => String(o.vsPrice) },
  { name: 'chain', kind: 'text', of: (o) => o.payment?.chain ?? null },
  { name: 'currency', kind: 'text', of: (o) => o.payment?.currency ?? null },
  { name: 'units', kind: 'numeric', of: (o) => (o.payment === null ? null : String(o.payment.units)) },
  { name: 'address', kind: 'text', of: (o) => o.payment?.address ?? null },
  { name: 'rate', kind: 'text', of: (o) => rate(o.payment?.rate) },
  { name: 'chosen_at', kind: 'bigint', of: (o) => o.payment?.chosenAt ?? null },
  { name: 'received', kind: 'numeric', of: (o) => String(o.received) },
  { name: 'remark', kind: 'text', of: (o) => o.remark },
  { name: 'succeed_url', kind: 'text', of: (o) => o.links.succeedUrl },
  { name: 'timeout_url', kind: 'text', of: (o) => o.links.timeoutUrl },
  { name: 'callback_url', kind: 'text', of: (o) => o.links.callbackUrl },
  { name: 'timeout_callback', kind: 'text', of: (o) => o.links.timeoutCallback },
  { name: 'fixed_encrypt_price', kind: 'boolean', of: (o) => o.fixedEncryptPrice },
  { name: 'enable_post_callback', kind: 'boolean', of: (o) => o.enablePostCallback },
  { name: 'checkout_token', kind: 'text', of: (o) => o.checkoutToken },
  { name: 'tolerance_bps', kind: 'bigint', of: (o) => o.toleranceBps },
  { name: 'created_at', kind: 'bigint', of: (o) => o.createdAt },
  { name: 'updated_at', kind: 'bigint', of: (o) => o.updatedAt },
  { name: 'expires_at', kind: 'bigint', of: (o) => o.expiresAt },
  { name: 'watch_until', kind: 'bigint', of: (o) => o.watchUntil },
  { name: 'reorged_at', kind: 'bigint', of: (o) => o.reorgedAt },
  { name: 'refund_address', kind: 'text', of: (o) => o.refundAddress },
];

function paymentOf(row: Row): OrderPayment | null {
  const chain = textOrNull(row, 'chain');
  if (chain === null) return null;
  return {
    chain,
    currency: text(row, 'currency'),
    units: units(row, 'units'),
    address: text(row, 'address'),
    rate: json<RateEvidence>(row, 'rate'),
    chosenAt: integer(row, 'chosen_at'),
  };
}

/** The order in a row of `orders`. */
export function orderOf(row: Row): Order {
  return {
    id: text(row, 'id') as OrderId,
    accountId: text(row, 'account_id') as Order['accountId'],
    number: integer(row, 'number'),
    credentialId: textOrNull(row, 'credential_id') as Order['credentialId'],
    type: text(row, 'type') as Order['type'],
    platform: text(row, 'platform') as Order['platform'],
    status: text(row, 'status') as Order['status'],
    vsCurrency: text(row, 'vs_currency'),
    vsPrice: units(row, 'vs_price'),
    payment: paymentOf(row),
    received: units(row, 'received'),
    remark: text(row, 'remark'),
    links: {
      succeedUrl: textOrNull(row, 'succeed_url'),
      timeoutUrl: textOrNull(row, 'timeout_url'),
      callbackUrl: textOrNull(row, 'callback_url'),
      timeoutCallback: textOrNull(row, 'timeout_callback'),
    },
    fixedEncryptPrice: flag(row, 'fixed_encrypt_price'),
    enablePostCallback: flag(row, 'enable_post_callback'),
    checkoutToken: text(row, 'checkout_token'),
    toleranceBps: integer(row, 'tolerance_bps'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    expiresAt: integer(row, 'expires_at'),
    watchUntil: integer(row, 'watch_until'),
    reorgedAt: integerOrNull(row, 'reorged_at'),
    refundAddress: textOrNull(row, 'refund_address'),
  };
}

/** The columns that changes of an order fill. */
export function orderChange(changes: OrderChanges): Change {
  const { payment, received, reorgedAt, refundAddress, updatedAt } = changes;
  const change: (readonly [string, string | number | null])[] = [['updated_at', updatedAt]];
  if (payment !== undefined) {
    change.push(['chain', payment.chain], ['currency', payment.currency], ['units', String(payment.units)]);
    change.push(['address', payment.address], ['rate', rate(payment.rate)], ['chosen_at', payment.chosenAt]);
  }
  if (received !== undefined) change.push(['received', String(received)]);
  if (reorgedAt !== undefined) change.push(['reorged_at', reorgedAt]);
  if (refundAddress !== undefined) change.push(['refund_address', refundAddress]);
  return change;
}

export const HISTORY_COLUMNS: readonly Column<OrderHistoryEntry>[] = [
  { name: 'order_id', kind: 'text', of: (entry) => entry.orderId },
  { name: 'happened_at', kind: 'bigint', of: (entry) => entry.at },
  { name: 'from_status', kind: 'text', of: (entry) => entry.from },
  { name: 'to_status', kind: 'text', of: (entry) => entry.to },
  { name: 'rule', kind: 'text', of: (entry) => entry.rule },
  { name: 'inputs', kind: 'text', of: (entry) => JSON.stringify(entry.inputs) },
  { name: 'rate', kind: 'text', of: (entry) => rate(entry.rate) },
];

/** The change in a row of `order_history`. */
export function historyOf(row: Row): OrderHistoryEntry {
  return {
    orderId: text(row, 'order_id') as OrderId,
    at: integer(row, 'happened_at'),
    from: textOrNull(row, 'from_status') as OrderHistoryEntry['from'],
    to: text(row, 'to_status') as OrderHistoryEntry['to'],
    rule: text(row, 'rule') as OrderHistoryEntry['rule'],
    inputs: json<OrderHistoryEntry['inputs']>(row, 'inputs'),
    rate: jsonOrNull<RateEvidence>(row, 'rate'),
  };
}

/** The address in a row of `order_addresses` or `address_pool`. */
export function depositAddressOf(row: Row): DepositAddress {
  return {
    chain: text(row, 'chain'),
    address: text(row, 'address'),
    key: text(row, 'watch_key'),
    walletId: text(row, 'wallet_id'),
    index: integer(row, 'address_index'),
  };
}
