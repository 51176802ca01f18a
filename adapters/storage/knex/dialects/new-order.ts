import type { NewOrder } from '../../../../core/index.ts';
import { claimColumns } from '../rows/claim-row.ts';
import type { Column } from '../rows/columns.ts';
import { ORDER_COLUMNS } from '../rows/order-row.ts';
import type { Tables } from '../tables.ts';
import type { Row } from './dialect.ts';

/** The columns of `idempotency_claims`, from a new order that has a claim. */
export const CLAIM_COLUMNS = claimColumns<NewOrder>(({ order }) => order);

/** The columns of `order_addresses`, but for `created_at` and `assigned_height`, from a new order that has an address. */
export const ADDRESS_COLUMNS: readonly Column<NewOrder>[] = [
  { name: 'order_id', kind: 'text', of: ({ order }) => order.id },
  { name: 'account_id', kind: 'text', of: ({ order }) => order.accountId },
  { name: 'chain', kind: 'text', of: ({ depositAddress }) => depositAddress?.chain ?? null },
  { name: 'currency', kind: 'text', of: ({ order }) => order.payment?.currency ?? null },
  { name: 'address', kind: 'text', of: ({ depositAddress }) => depositAddress?.address ?? null },
  { name: 'watch_key', kind: 'text', of: ({ depositAddress }) => depositAddress?.key ?? null },
  { name: 'wallet_id', kind: 'text', of: ({ depositAddress }) => depositAddress?.walletId ?? null },
  { name: 'address_index', kind: 'bigint', of: ({ depositAddress }) => depositAddress?.index ?? null },
  { name: 'watch_until', kind: 'bigint', of: ({ order }) => order.watchUntil },
  { name: 'assigned_at', kind: 'bigint', of: ({ order }) => order.createdAt },
];

/** The columns of a batch: the order's, but for its number, then the claim's and the address's own. */
export const BATCH_COLUMNS: readonly Column<NewOrder>[] = [
  ...ORDER_COLUMNS.filter(({ name }) => name !== 'number').map(({ name, kind, of }) => ({
    name,
    kind,
    of: ({ order }: NewOrder) => of(order),
  })),
  ...own('claim', CLAIM_COLUMNS, ['account_id', 'order_id']),
  ...own('address', ADDRESS_COLUMNS, ['order_id', 'account_id', 'watch_until']),
];

function own(prefix: string, columns: readonly Column<NewOrder>[], shared: readonly string[]): Column<NewOrder>[] {
  return columns
    .filter(({ name }) => !shared.includes(name))
    .map((column) => ({ ...column, name: `${prefix}_${column.name}` }));
}

const GIVEN: ReadonlySet<string> = new Set(BATCH_COLUMNS.map(({ name }) => name));

/** For each column of a table, the batch's column: its own, or the order's where both have the same value. */
export const batchNames = (prefix: string, columns: readonly Column<NewOrder>[]): readonly string[] =>
  columns.map(({ name }) => (GIVEN.has(`${prefix}_${name}`) ? `${prefix}_${name}` : name === 'order_id' ? 'id' : name));

/** The `assigned_height` of an address: the last block that the till has read of its chain. */
export const assignedHeight = ({ chainStates }: Tables, chain: string): string =>
  `(SELECT cursor_height FROM ${chainStates} WHERE chain = ${chain})`;

/** Claims that expired before this moment have ended, for a batch: the earliest time of its orders. */
export const claimsEndedBy = (batch: readonly NewOrder[]): number =>
  Math.min(...batch.map(({ order }) => order.createdAt));

/**
 * The numbers of a batch's orders, from one text, because drivers are slow for each row. Without a row, every key was
 * used before.
 */
export function numbersOf(row: Row | undefined): ReadonlyMap<string, number> {
  const text = (row?.['numbers'] ?? '') as string;
  const pairs = text === '' ? [] : text.split(',');
  return new Map(
    pairs.map((pair): [string, number] => {
      const [id = '', number = ''] = pair.split(' ');
      return [id, Number(number)];
    }),
  );
}
