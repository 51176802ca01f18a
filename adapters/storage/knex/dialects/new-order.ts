import type { Callback, NewOrder } from '../../../../core/index.ts';
import { claimColumns } from '../rows/claim-row.ts';
import type { Column } from '../rows/columns.ts';
import type { Tables } from '../tables.ts';

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

/** The `assigned_height` of an address: the last block that the till has read of its chain. */
export const assignedHeight = ({ chainStates }: Tables, chain: string): string =>
  `(SELECT cursor_height FROM ${chainStates} WHERE chain = ${chain})`;

/** Claims that expired before this moment have ended, for a batch: the earliest time of its orders. */
export const claimsEndedBy = (batch: readonly NewOrder[]): number =>
  Math.min(...batch.map(({ order }) => order.createdAt));

/** The rows of the outbox of new orders. */
export const eventsOf = (created: readonly NewOrder[]): readonly Callback[] =>
  created.flatMap(({ events = [] }) => events);
