import type { EventRows, NewOrder, OrderId, PlaceRefusal } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { CALLBACK_COLUMNS } from '../../rows/callback-row.ts';
import { SHOP_ORDER_COLUMNS } from '../../rows/shop-order-row.ts';
import { insertion, parts } from '../../rows/columns.ts';
import { refusedByLinks } from './link-places.ts';

/** A new order with the rows that report it. */
export interface ReportedOrder {
  readonly fresh: NewOrder;
  readonly rows: EventRows;
}

/** The outcome of an order in a batch. */
export type BatchOutcome =
  | { readonly kind: 'created'; readonly number: number }
  /** The idempotency key or the merchant reference was used before. */
  | { readonly kind: 'repeated' }
  /** The payment link has no sale left for the order. */
  | { readonly kind: 'no-place'; readonly why: PlaceRefusal };

/** A statement has a limited number of bindings. */
const SHOPS_AT_ONCE = 50;
const NONE: ReadonlyMap<OrderId, PlaceRefusal> = new Map();

/**
 * Stores a batch of orders atomically: with one statement, or in a transaction of several when events are written for
 * its orders, or some belong to payment links or shops. No idempotency key, reference or link occurs twice in a batch.
 */
export async function createOrders(db: Database, reported: readonly ReportedOrder[]): Promise<readonly BatchOutcome[]> {
  const { dialect, tables } = db;
  const batch = reported.map(({ fresh }) => fresh);
  const alone = reported.every(
    ({ fresh: { place, shop }, rows }) => rows.callbacks.length === 0 && place === undefined && shop === undefined,
  );
  if (alone) return outcomes(batch, await dialect.storeOrders(db.write, tables, batch), NONE);
  return db.transaction(async ({ run }) => {
    const refused = await refusedByLinks(run, tables, batch, dialect.forUpdate);
    const admitted = batch.filter(({ order }) => !refused.has(order.id));
    const numbers = admitted.length === 0 ? new Map() : await dialect.storeOrders(run, tables, admitted);
    const created = reported.filter(({ fresh }) => numbers.has(fresh.order.id));
    await storeShopOrders(run, db, created);
    await storeEvents(run, db, created);
    return outcomes(batch, numbers, refused);
  });
}

function outcomes(
  batch: readonly NewOrder[],
  numbers: ReadonlyMap<string, number>,
  refused: ReadonlyMap<OrderId, PlaceRefusal>,
): readonly BatchOutcome[] {
  return batch.map(({ order: { id } }) => {
    const why = refused.get(id);
    if (why !== undefined) return { kind: 'no-place', why };
    const number = numbers.get(id);
    return number === undefined ? { kind: 'repeated' } : { kind: 'created', number };
  });
}

async function storeShopOrders(run: Run, { tables }: Database, created: readonly ReportedOrder[]): Promise<void> {
  const shops = created.flatMap(({ fresh: { shop, order } }) =>
    shop === undefined ? [] : [{ ...shop, updatedAt: order.createdAt }],
  );
  for (const part of parts(shops, SHOPS_AT_ONCE)) {
    const { sql, bindings } = insertion(tables.shopOrders, SHOP_ORDER_COLUMNS, part);
    await run(sql, bindings);
  }
}

async function storeEvents(run: Run, { dialect, tables }: Database, created: readonly ReportedOrder[]): Promise<void> {
  const events = created.flatMap(({ rows }) => rows.callbacks);
  if (events.length === 0) return;
  const { sql, bindings } = dialect.insertList(tables.callbacks, CALLBACK_COLUMNS, events);
  await run(sql, bindings);
}
