import { readCart, storedCart } from '../../../../core/index.ts';
import type { DepositAddress, Order, OrderChanges, OrderHistoryEntry, OrderPayment } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import {
  changeOf,
  columnsOf,
  encodedOrNullField,
  flagField,
  integerField,
  integerOrNullField,
  jsonField,
  jsonOrNullField,
  nestedField,
  nestedOrNullField,
  readFields,
  textField,
  textOrNullField,
  unitsField,
} from './stored-fields.ts';
import type { StoredFields } from './stored-fields.ts';
import { integer, text } from './values.ts';

const PAYMENT: StoredFields<OrderPayment> = {
  chain: textField('chain'),
  currency: textField('currency'),
  units: unitsField('units'),
  address: textField('address'),
  rate: jsonField('rate'),
  chosenAt: integerField('chosen_at'),
};

/** Every field of an order with its column: reading, inserting and changing follow from it. */
const ORDER: StoredFields<Order> = {
  id: textField('id'),
  accountId: textField('account_id'),
  number: integerField('number'),
  credentialId: textOrNullField('credential_id'),
  type: textField('type'),
  platform: textField('platform'),
  hosted: flagField('hosted'),
  status: textField('status'),
  vsCurrency: textField('vs_currency'),
  vsPrice: unitsField('vs_price'),
  payment: nestedOrNullField(PAYMENT, 'chain'),
  received: unitsField('received'),
  remark: textField('remark'),
  links: nestedField({
    succeedUrl: textOrNullField('succeed_url'),
    timeoutUrl: textOrNullField('timeout_url'),
    callbackUrl: textOrNullField('callback_url'),
    timeoutCallback: textOrNullField('timeout_callback'),
  }),
  fixedEncryptPrice: flagField('fixed_encrypt_price'),
  enablePostCallback: flagField('enable_post_callback'),
  merchantReference: textOrNullField('merchant_reference'),
  metadata: jsonField('metadata'),
  linkId: textOrNullField('link_id'),
  cart: encodedOrNullField('cart', storedCart, readCart),
  checkoutToken: textField('checkout_token'),
  toleranceBps: integerField('tolerance_bps'),
  createdAt: integerField('created_at'),
  updatedAt: integerField('updated_at'),
  expiresAt: integerField('expires_at'),
  watchUntil: integerField('watch_until'),
  reorgedAt: integerOrNullField('reorged_at'),
  refundAddress: textOrNullField('refund_address'),
  refundBrowser: textOrNullField('refund_browser'),
  refundAddressAt: integerOrNullField('refund_address_at'),
};

/** Every column of an order. A new order has no number yet: the store gives it. */
export const ORDER_COLUMNS: readonly Column<Omit<Order, 'number'> & { readonly number?: number }>[] = columnsOf(ORDER);

/** The order in a row of `orders`. */
export const orderOf = (row: Row): Order => readFields(ORDER, row);

/** The columns that changes of an order fill. */
export const orderChange = (changes: OrderChanges): Change => changeOf(ORDER, changes);

const HISTORY: StoredFields<OrderHistoryEntry> = {
  orderId: textField('order_id'),
  at: integerField('happened_at'),
  from: textOrNullField('from_status'),
  to: textField('to_status'),
  rule: textField('rule'),
  inputs: jsonField('inputs'),
  rate: jsonOrNullField('rate'),
};

export const HISTORY_COLUMNS: readonly Column<OrderHistoryEntry>[] = columnsOf(HISTORY);

/** The change in a row of `order_history`. */
export const historyOf = (row: Row): OrderHistoryEntry => readFields(HISTORY, row);

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
