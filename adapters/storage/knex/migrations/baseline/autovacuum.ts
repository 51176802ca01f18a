import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/**
 * PostgreSQL cleans a table by default when a fifth of its rows are dead: of ten million orders that is two million, weeks of
 * work for the open ones at its end, whose index pages are read at every look for due work meanwhile. These are the tables
 * whose rows change after they are written: a hundredth of them and a thousand, and as often for the planner's statistics of
 * the newest days.
 */
const CHANGED = { vacuum: 0.01, analyze: 0.01, threshold: 1_000 };
/** A queue, pool or claim that is emptied as fast as it is filled: its live rows are few, so a share of them says nothing. */
const EMPTIED = { vacuum: 0, analyze: 0.1, threshold: 2_000 };
/** A few rows that change many times a second: a share of them is reached at once, and a page of dead ones slows each read. */
const FEW = { vacuum: 0, analyze: 0.5, threshold: 200 };

/** When PostgreSQL cleans the tables whose rows change often; SQLite needs no cleaning. */
export function autovacuum(t: Tables, { manyServers }: Dialect): string[] {
  if (!manyServers) return [];
  const set = (table: string, { vacuum, analyze, threshold }: typeof CHANGED): string =>
    `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = ${vacuum}, autovacuum_vacuum_threshold = ${threshold},
      autovacuum_analyze_scale_factor = ${analyze}, autovacuum_analyze_threshold = ${threshold})`;
  return [
    ...[t.orders, t.addresses, t.deposits, t.transactions, t.callbacks, t.holdings, t.transfers].map((table) =>
      set(table, CHANGED),
    ),
    ...[t.addressPool, t.idempotency, t.usedSignatures, t.unchecked].map((table) => set(table, EMPTIED)),
    ...[t.leases, t.chainStates, t.counters, t.balances, t.orderSums, t.callbackSums, t.instances].map((table) =>
      set(table, FEW),
    ),
  ];
}
