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
import { listOf, recordsIn } from './sqlite-lists.ts';

const viewOf = ({ prefix }: Tables): string => `${prefix}new_orders`;

/** A batch's column in one of its records. */
const given = (name: string): string => `value ->> ${BATCH_COLUMNS.findIndex((column) => column.name === name)}`;

/**
 * A view whose trigger stores a batch with its claims, numbers and addresses. Each statement of SQLite's driver waits
 * twice for a thread and for the event loop, so a batch is one statement, which is a transaction by itself. An order
 * whose reference is taken is left out before it claims its key.
 */
export function orderBatchesSqlite(t: Tables): readonly string[] {
  const view = viewOf(t);
  const id = given('id');
  const account = given('account_id');
  const reference = given('merchant_reference');
  const claimKey = given('claim_claim_key');
  const chain = given('address_chain');
  const input = BATCH_COLUMNS.filter(({ name }) => ORDER_COLUMNS.some((column) => column.name === name));
  const free = `(${reference} IS NULL OR NOT EXISTS (SELECT 1 FROM ${t.orders} AS former
      WHERE former.account_id = ${account} AND former.merchant_reference = ${reference}))`;
  const claimedBy = `(SELECT order_id FROM ${t.idempotency} AS claim WHERE claim.account_id = ${account}
      AND claim.route = ${given('claim_route')} AND claim.claim_key = ${claimKey})`;
  const former = `coalesce((SELECT last FROM ${t.counters} WHERE account_id = ${account} AND counter = '${ORDERS_COUNTER}'), 0)`;
  return [
    `DROP VIEW IF EXISTS ${view}`,
    `CREATE VIEW ${view} AS SELECT '' AS batch, 0 AS claims_ended_by`,
    `CREATE TRIGGER ${view}_stored INSTEAD OF INSERT ON ${view} BEGIN
        INSERT INTO ${t.idempotency} (${names(CLAIM_COLUMNS)})
          SELECT ${batchNames('claim', CLAIM_COLUMNS).map(given).join(', ')}
          FROM ${recordsIn('NEW.batch')} WHERE ${claimKey} IS NOT NULL AND ${free}
          ${claimConflict(t.idempotency, 'NEW.claims_ended_by')};
        INSERT INTO ${t.orders} (${names(input)}, number)
          SELECT ${input.map(({ name }) => given(name)).join(', ')},
            ${former} + row_number() OVER (PARTITION BY ${account} ORDER BY key)
          FROM ${recordsIn('NEW.batch')} WHERE CASE WHEN ${claimKey} IS NULL THEN ${free} ELSE ${id} = ${claimedBy} END;
        INSERT INTO ${t.counters} (account_id, counter, last)
          SELECT account_id, '${ORDERS_COUNTER}', max(number) FROM ${t.orders}
          WHERE id IN (SELECT ${id} FROM ${recordsIn('NEW.batch')}) GROUP BY account_id
          ON CONFLICT (account_id, counter) DO UPDATE SET last = excluded.last;
        INSERT INTO ${t.addresses} (${names(ADDRESS_COLUMNS)}, assigned_height, created_at)
          SELECT ${batchNames('address', ADDRESS_COLUMNS).map(given).join(', ')},
            ${assignedHeight(t, chain)}, CAST(unixepoch('subsec') * 1000 AS INTEGER)
          FROM ${recordsIn('NEW.batch')}
          WHERE ${chain} IS NOT NULL AND EXISTS (SELECT 1 FROM ${t.orders} WHERE id = ${id});
      END`,
  ];
}

/** One statement for the whole batch. Its result is read after the trigger has run. */
export async function storeOrdersSqlite(
  run: Run,
  t: Tables,
  batch: readonly NewOrder[],
): Promise<ReadonlyMap<string, number>> {
  const sql = `INSERT INTO ${viewOf(t)} (batch, claims_ended_by) VALUES (?, ?)
    RETURNING (SELECT group_concat(id || ' ' || number) FROM ${t.orders}
      WHERE id IN (SELECT ${given('id')} FROM json_each(batch))) AS numbers`;
  const [row] = await run(sql, [listOf(BATCH_COLUMNS, batch), claimsEndedBy(batch)], { name: viewOf(t) });
  return numbersOf(row);
}
