import { Connection } from '../../../adapters/storage/knex/connections.ts';
import { SqlCallbackWrites } from '../../../adapters/storage/knex/stores/notify/callback-store.ts';
import { edited, patched } from './bug.ts';
import type { Bug } from './bug.ts';
import { within } from './edits.ts';
import { rewriteSql } from './patches.ts';

/**
 * The beginning of the statement that creates missing balances and locks all of them, and the same without the locks.
 */
const LOCKED_BALANCES =
  /^(INSERT INTO (\S*ledger_balances\S*) [^]*) ON CONFLICT \(account, currency\) DO UPDATE SET units = \S+ (RETURNING account, currency, units)$/;
const unlocked = (sql: string): string =>
  sql.replace(
    LOCKED_BALANCES,
    'WITH made AS ($1 ON CONFLICT (account, currency) DO NOTHING $3) SELECT * FROM made UNION ALL SELECT account, currency, units FROM $2',
  );

const VALUES = /\bVALUES\b/;
const USED_SIGNATURE = /^INSERT INTO (\S*used_signatures\S*) /;

/** Reads a table's row without locking it. */
const readWithoutLock = (table: string): void =>
  rewriteSql((sql) =>
    new RegExp(`FROM \\S*\\b${table}\\b\\S* WHERE id = \\? FOR UPDATE`).test(sql) ? sql.replace('FOR UPDATE', '') : sql,
  );

const BUGS: readonly Bug[] = [
  patched('balances are added to without a lock', () => rewriteSql((sql) => (VALUES.test(sql) ? unlocked(sql) : sql))),
  patched('a reserve is decided on a balance that is not locked', () =>
    rewriteSql((sql) => (VALUES.test(sql) ? sql : unlocked(sql))),
  ),
  patched('an order is decided on without a lock', () => readWithoutLock('orders')),
  patched('a used signature is looked for, then stored', () => {
    const { run } = Connection.prototype;
    Connection.prototype.run = async function (this: Connection, sql, bindings, options) {
      const table = USED_SIGNATURE.exec(sql)?.[1];
      if (table === undefined) return run.call(this, sql, bindings, options);
      const found = await run.call(this, `SELECT replay_key FROM ${table} WHERE replay_key = ?`, bindings?.slice(0, 1));
      if (found.length > 0) return [];
      await run.call(this, sql, bindings, options);
      return [{}];
    };
  }),
  patched('a transfer is decided on without a lock', () => readWithoutLock('transfers')),
  edited(
    "an order's callbacks go by the clocks of those who made them",
    within(SqlCallbackWrites)
      .call('max', { nth: 2 })
      .becomes(({ args }) => args[0] ?? ''),
  ),
];

/** Planted bugs of two concurrent instances, which SQLite never allows, so they are hunted on PostgreSQL. */
export const PG_BUGS: readonly Bug[] = BUGS.map((bug) => ({ ...bug, pg: true }));
