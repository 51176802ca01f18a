import { present } from '../../../../core/index.ts';
import type { NewOrder } from '../../../../core/index.ts';
import { CALLBACK_COLUMNS } from '../rows/callback-row.ts';
import { claimConflict } from '../rows/claim-row.ts';
import { names } from '../rows/columns.ts';
import type { Column } from '../rows/columns.ts';
import { ORDER_COLUMNS } from '../rows/order-row.ts';
import type { Tables } from '../tables.ts';
import { ORDERS_COUNTER } from './counters.ts';
import type { Binding } from '../binding.ts';
import type { BatchOutcome, BatchTarget, Row, Run } from './dialect.ts';
import { ADDRESS_COLUMNS, assignedHeight, CLAIM_COLUMNS, claimsEndedBy, eventsOf } from './new-order.ts';
import { refusedByLinks } from './link-places.ts';
import { arrayText, insertListPg } from './pg-lists.ts';

/** The input's columns, each bound as one array: the order's, then the claim's and the address's own. */
const INPUT: readonly { readonly name: string; readonly column: Column<NewOrder> }[] = [
  ...ORDER_COLUMNS.filter(({ name }) => name !== 'number').map(({ name, kind, of }) => ({
    name,
    column: { name, kind, of: ({ order }: NewOrder) => of(order) },
  })),
  ...own('claim', CLAIM_COLUMNS, ['account_id', 'order_id']),
  ...own('address', ADDRESS_COLUMNS, ['order_id', 'account_id', 'watch_until']),
];

function own(
  prefix: string,
  columns: readonly Column<NewOrder>[],
  shared: readonly string[],
): { name: string; column: Column<NewOrder> }[] {
  return columns
    .filter(({ name }) => !shared.includes(name))
    .map((column) => ({ name: `${prefix}_${column.name}`, column }));
}

/** The input's expression for a column of a table: its own column, or the order's where both are the same. */
function from(prefix: string, columns: readonly Column<NewOrder>[]): string {
  const given = new Set(INPUT.map(({ name }) => name));
  return columns
    .map(({ name }) => (given.has(`${prefix}_${name}`) ? `${prefix}_${name}` : name === 'order_id' ? 'id' : name))
    .join(', ');
}

/**
 * The whole batch as one statement, so one round trip and one commit: claims in the order of their keys, then counters
 * in the order of their accounts (all instances lock in this order), then the rows. An order whose reference is taken is
 * left out before it claims its key.
 */
function statement(t: Tables): string {
  const arrays = INPUT.map(({ column }) => `?::${column.kind}[]`).join(', ');
  return `WITH input AS (
      SELECT * FROM unnest(${arrays}) WITH ORDINALITY AS given (${INPUT.map(({ name }) => name).join(', ')}, ordinal)
      WHERE given.merchant_reference IS NULL OR (SELECT former.id FROM ${t.orders} AS former
        WHERE former.account_id = given.account_id AND former.merchant_reference = given.merchant_reference) IS NULL
    ), claimed AS (
      INSERT INTO ${t.idempotency} (${names(CLAIM_COLUMNS)})
      SELECT ${from('claim', CLAIM_COLUMNS)} FROM input WHERE claim_claim_key IS NOT NULL ORDER BY 1, 2, 3
      ${claimConflict(t.idempotency)}
    ), fresh AS (
      SELECT input.* FROM input LEFT JOIN claimed ON claimed.order_id = input.id
      WHERE claim_claim_key IS NULL OR claimed.order_id IS NOT NULL
    ), counted AS (
      INSERT INTO ${t.counters} (account_id, counter, last)
      SELECT account_id, '${ORDERS_COUNTER}', count(*) FROM fresh GROUP BY account_id ORDER BY account_id
      ON CONFLICT (account_id, counter) DO UPDATE SET last = ${t.counters}.last + excluded.last
      RETURNING account_id, last
    ), numbered AS (
      SELECT fresh.*, counted.last + 1 - row_number() OVER (PARTITION BY fresh.account_id ORDER BY ordinal DESC) AS number
      FROM fresh JOIN counted ON counted.account_id = fresh.account_id
    ), stored AS (
      INSERT INTO ${t.orders} (${names(ORDER_COLUMNS)}) SELECT ${names(ORDER_COLUMNS)} FROM numbered
    ), addressed AS (
      INSERT INTO ${t.addresses} (${names(ADDRESS_COLUMNS)}, assigned_height, created_at)
      SELECT ${from('address', ADDRESS_COLUMNS)}, ${assignedHeight(t, 'address_chain')}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint
      FROM numbered WHERE address_chain IS NOT NULL
    ) SELECT string_agg(id || ' ' || number, ',') AS numbers FROM numbered`;
}

const statements = new WeakMap<Tables, string>();

/** One prepared statement for the whole batch; a transaction where something is told of its orders, or some are of links. */
export async function createOrdersPg(
  { tables, write, transaction }: BatchTarget,
  batch: readonly NewOrder[],
): Promise<readonly BatchOutcome[]> {
  if (eventsOf(batch).length === 0 && !batch.some(({ place }) => place !== undefined))
    return created(write, tables, batch);
  return transaction(async (run) => {
    const refused = await refusedByLinks(run, tables, batch, 'FOR UPDATE');
    const admitted = batch.filter(({ order }) => !refused.has(order.id));
    const made = admitted.length === 0 ? [] : await created(run, tables, admitted);
    const madeOf = new Map(admitted.map(({ order }, at) => [order.id, made[at]]));
    const outcomes = batch.map(({ order }): BatchOutcome => {
      const why = refused.get(order.id);
      return why === undefined ? present(madeOf.get(order.id), 'an outcome') : { kind: 'no-place', why };
    });
    const events = eventsOf(batch.filter((_, at) => outcomes[at]?.kind === 'created'));
    const { sql, bindings } = insertListPg(tables.callbacks, CALLBACK_COLUMNS, events);
    if (events.length > 0) await run(sql, bindings);
    return outcomes;
  });
}

async function created(write: Run, tables: Tables, batch: readonly NewOrder[]): Promise<readonly BatchOutcome[]> {
  const sql = statements.get(tables) ?? statement(tables);
  statements.set(tables, sql);
  const arrays: Binding[] = INPUT.map(({ column }) => arrayText(batch, column.of));
  const [row] = await write(sql, [...arrays, claimsEndedBy(batch)], { name: `${tables.prefix}create_orders` });
  const numbers = numbersOf(row);
  return batch.map(({ order }) => {
    const number = numbers.get(order.id);
    return number === undefined ? { kind: 'repeated' } : { kind: 'created', number };
  });
}

/** One text for the whole batch, because drivers are slow for each row. No row: every key was used before. */
function numbersOf(row: Row | undefined): ReadonlyMap<string, number> {
  const text = (row?.['numbers'] ?? '') as string;
  const pairs = text === '' ? [] : text.split(',');
  return new Map(
    pairs.map((pair): [string, number] => {
      const [id = '', number = ''] = pair.split(' ');
      return [id, Number(number)];
    }),
  );
}
