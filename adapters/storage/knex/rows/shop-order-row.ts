import type { Millis, ShopOrder } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integerOrNull, jsonOrNull, text, textOrNull } from './values.ts';

/** The columns of `order_shop_data`. */
export const SHOP_ORDER_COLUMNS: readonly Column<ShopOrder & { readonly updatedAt: Millis }>[] = [
  { name: 'order_id', kind: 'text', of: (s) => s.orderId },
  { name: 'account_id', kind: 'text', of: (s) => s.accountId },
  { name: 'reference', kind: 'text', of: (s) => s.reference },
  { name: 'metadata', kind: 'text', of: (s) => s.metadata },
  { name: 'checkout', kind: 'text', of: (s) => s.checkout },
  { name: 'coins', kind: 'text', of: (s) => (s.coins === null ? null : JSON.stringify(s.coins)) },
  { name: 'archived_at', kind: 'bigint', of: (s) => s.archivedAt },
  { name: 'updated_at', kind: 'bigint', of: (s) => s.updatedAt },
];

/** What a shop keeps with an order, in a row of `order_shop_data`. */
export function shopOrderOf(row: Row): ShopOrder {
  return {
    orderId: text(row, 'order_id') as ShopOrder['orderId'],
    accountId: text(row, 'account_id') as ShopOrder['accountId'],
    reference: textOrNull(row, 'reference'),
    metadata: text(row, 'metadata'),
    checkout: text(row, 'checkout'),
    coins: jsonOrNull<readonly string[]>(row, 'coins'),
    archivedAt: integerOrNull(row, 'archived_at'),
  };
}
