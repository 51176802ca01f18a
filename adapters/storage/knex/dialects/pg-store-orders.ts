import type { NewOrder } from '../../../../core/index.ts';
import { claimConflict } from '../rows/claim-row.ts';
import { names } from '../rows/columns.ts';
import { ORDER_COLUMNS } from '../rows/order-row.ts';
import type { Tables } from '../tables.ts';
import { ORDERS_COUNTER } from './counters.ts';
import type { Run } from './dialect.ts';
import {
  ADDRESS_COLUMNS,
  assignedHeight,
  BATCH_COLUMNS,
  batchNames,
  CLAIM_COLUMNS,
  claimsEndedBy,
  numbersOf,
} from './new-order.ts';
import { arrayText } from './pg-lists.ts';

/**
 * The whole batch as one statement, so one round trip and one commit: claims in the order of their keys, then counters
 * in the order of their accounts (all instances lock in this order), then the rows. An order whose reference is taken is
 * left out before it claims its key. What is joined and sorted on the way has few columns, because PostgreSQL copies it
 * each time.
 */
function statement(t: Tables): string {
  const arrays = BATCH_COLUMNS.map(({ kind }) => `?::${kind}[]`).join(', ');
  return `WITH input AS (
      SELECT * FROM unnest(${arrays}) WITH ORDINALITY AS given (${names(BATCH_COLUMNS)}, ordinal)
      WHERE given.merchant_reference IS NULL OR (SELECT former.id FROM ${t.orders} AS former
        WHERE former.account_id = given.account_id AND former.merchant_reference = given.merchant_reference) IS NULL
    ), claimed AS (
      INSERT INTO ${t.idempotency} (${names(CLAIM_COLUMNS)})
      SELECT ${batchNames('claim', CLAIM_COLUMNS).join(', ')} FROM input WHERE claim_claim_key IS NOT NULL ORDER BY 1, 2, 3
      ${claimConflict(t.idempotency, '?')} RETURNING order_id
    ), fresh AS (
      SELECT input.id, input.account_id, input.ordinal FROM input LEFT JOIN claimed ON claimed.order_id = input.id
      WHERE claim_claim_key IS NULL OR claimed.order_id IS NOT NULL
    ), counted AS (
      INSERT INTO ${t.counters} (account_id, counter, last)
      SELECT account_id, '${ORDERS_COUNTER}', count(*) FROM fresh GROUP BY account_id ORDER BY account_id
      ON CONFLICT (account_id, counter) DO UPDATE SET last = ${t.counters}.last + excluded.last
      RETURNING account_id, last
    ), numbered AS (
      SELECT fresh.id, counted.last + 1 - row_number() OVER (PARTITION BY fresh.account_id ORDER BY ordinal DESC) AS number
      FROM fresh JOIN counted ON counted.account_id = fresh.account_id
    ), stored AS (
      INSERT INTO ${t.orders} (${names(ORDER_COLUMNS)}) SELECT ${names(ORDER_COLUMNS)} FROM input JOIN numbered USING (id)
    ), addressed AS (
      INSERT INTO ${t.addresses} (${names(ADDRESS_COLUMNS)}, assigned_height, created_at)
      SELECT ${batchNames('address', ADDRESS_COLUMNS).join(', ')}, ${assignedHeight(t, 'address_chain')}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint
      FROM input JOIN numbered USING (id) WHERE address_chain IS NOT NULL
    ) SELECT string_agg(id || ' ' || number, ',') AS numbers FROM numbered`;
}

const statements = new WeakMap<Tables, string>();

/** One prepared statement for the whole batch. */
export async function storeOrdersPg(
  run: Run,
  tables: Tables,
  batch: readonly NewOrder[],
): Promise<ReadonlyMap<string, number>> {
  const sql = statements.get(tables) ?? statement(tables);
  statements.set(tables, sql);
  const arrays = BATCH_COLUMNS.map(({ of }) => arrayText(batch, of));
  const [row] = await run(sql, [...arrays, claimsEndedBy(batch)], { name: `${tables.prefix}create_orders` });
  return numbersOf(row);
}
