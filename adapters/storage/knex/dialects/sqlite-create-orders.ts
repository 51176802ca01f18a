import { present } from '../../../../core/index.ts';
import type { Callback, NewOrder } from '../../../../core/index.ts';
import { CALLBACK_COLUMNS } from '../rows/callback-row.ts';
import { claimConflict } from '../rows/claim-row.ts';
import { ORDER_COLUMNS } from '../rows/order-row.ts';
import { ORDERS_COUNTER } from './counters.ts';
import type { BatchOutcome, BatchTarget, Run } from './dialect.ts';
import { ADDRESS_COLUMNS, assignedHeight, CLAIM_COLUMNS, claimsEndedBy, eventsOf } from './new-order.ts';
import { refusedByLinks } from './link-places.ts';
import { insertionOf, listOf } from './sqlite-lists.ts';
import type { Tables } from '../tables.ts';

/** One transaction for the whole batch, one statement for each table. */
export async function createOrdersSqlite(
  { tables, transaction }: BatchTarget,
  batch: readonly NewOrder[],
): Promise<readonly BatchOutcome[]> {
  return transaction(async (run) => {
    const refused = await refusedByLinks(run, tables, batch, '');
    const taken = await withTakenReference(run, tables, batch);
    const claiming = batch.filter(({ order }) => !taken.has(order.id) && !refused.has(order.id));
    const repeated = await claim(run, tables, claiming);
    const fresh = claiming.filter(({ order }) => !repeated.has(order.id));
    const numbers = await numbered(run, tables, fresh);
    if (fresh.length > 0) await store(run, tables, fresh, numbers);
    await storeEvents(run, tables, eventsOf(fresh));
    return batch.map(({ order }) => {
      const why = refused.get(order.id);
      if (why !== undefined) return { kind: 'no-place', why };
      const number = numbers.get(order.id);
      return number === undefined ? { kind: 'repeated' } : { kind: 'created', number };
    });
  });
}

/** The ids of the orders whose merchant reference another order of the account has. */
async function withTakenReference(
  run: Run,
  { orders }: Tables,
  batch: readonly NewOrder[],
): Promise<ReadonlySet<unknown>> {
  const named = batch.flatMap(({ order: { id, accountId, merchantReference } }) =>
    merchantReference === null ? [] : [[id, accountId, merchantReference]],
  );
  if (named.length === 0) return new Set();
  const sql = `SELECT value ->> 0 AS id FROM json_each(?) WHERE EXISTS (
    SELECT 1 FROM ${orders} WHERE account_id = value ->> 1 AND merchant_reference = value ->> 2)`;
  return new Set((await run(sql, [JSON.stringify(named)])).map((row) => row['id']));
}

/** The ids of the orders whose key was used before. */
async function claim(run: Run, tables: Tables, batch: readonly NewOrder[]): Promise<ReadonlySet<string>> {
  const claiming = batch.filter(({ idempotency }) => idempotency !== null);
  if (claiming.length === 0) return new Set();
  // Without WHERE the parser reads ON as part of a join.
  const sql = `${insertionOf(tables.idempotency, CLAIM_COLUMNS)} WHERE true ${claimConflict(tables.idempotency)}`;
  const rows = await run(sql, [listOf(CLAIM_COLUMNS, claiming), claimsEndedBy(batch)]);
  const claimed = new Set(rows.map((row) => row['order_id']));
  return new Set(claiming.map(({ order }) => order.id as string).filter((id) => !claimed.has(id)));
}

async function numbered(run: Run, tables: Tables, fresh: readonly NewOrder[]): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const [accountId, own] of byAccount(fresh)) {
    const [row] = await run(
      `INSERT INTO ${tables.counters} (account_id, counter, last) VALUES (?, '${ORDERS_COUNTER}', ?)
       ON CONFLICT (account_id, counter) DO UPDATE SET last = last + excluded.last RETURNING last`,
      [accountId, own.length],
    );
    own.forEach(({ order }, index) => numbers.set(order.id, Number(row?.['last']) - own.length + 1 + index));
  }
  return numbers;
}

function byAccount(orders: readonly NewOrder[]): ReadonlyMap<string, readonly NewOrder[]> {
  const groups = new Map<string, NewOrder[]>();
  for (const each of orders) {
    const group = groups.get(each.order.accountId);
    if (group === undefined) groups.set(each.order.accountId, [each]);
    else group.push(each);
  }
  return groups;
}

async function storeEvents(run: Run, { callbacks }: Tables, events: readonly Callback[]): Promise<void> {
  if (events.length > 0) await run(insertionOf(callbacks, CALLBACK_COLUMNS), [listOf(CALLBACK_COLUMNS, events)]);
}

async function store(
  run: Run,
  tables: Tables,
  fresh: readonly NewOrder[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const orders = fresh.map(({ order }) => ({ ...order, number: present(numbers.get(order.id), 'number') }));
  await run(insertionOf(tables.orders, ORDER_COLUMNS), [listOf(ORDER_COLUMNS, orders)]);
  const addressed = fresh.filter(({ depositAddress }) => depositAddress !== null);
  if (addressed.length === 0) return;
  const now = { name: 'created_at', sql: `CAST(unixepoch('subsec') * 1000 AS INTEGER)` };
  const place = ADDRESS_COLUMNS.findIndex(({ name }) => name === 'chain');
  const height = { name: 'assigned_height', sql: assignedHeight(tables, `value ->> ${place}`) };
  await run(insertionOf(tables.addresses, ADDRESS_COLUMNS, [now, height]), [listOf(ADDRESS_COLUMNS, addressed)]);
}
