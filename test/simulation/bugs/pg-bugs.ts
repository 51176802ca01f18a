import type { Bug, Patch } from './bugs.ts';

const STORES = 'adapters/storage/knex/stores';

const bug = (name: string, ...patches: readonly Patch[]): Bug => ({ name, patches, pg: true });

/** Planted bugs of two who work at the same time, which SQLite never lets happen: they are hunted on PostgreSQL. */
export const PG_BUGS: readonly Bug[] = [
  bug('balances are added to without a lock', {
    file: `${STORES}/ledger-writes.ts`,
    find: "      `${upsert(`${tables.balances}.units`)} RETURNING account, currency, units`,\n      changes.flatMap(({ account, currency }) => [account, currency, '0']),",
    replace: "      `SELECT account, currency, units FROM ${tables.balances} WHERE (account, currency) IN (${changes.map(() => '(?, ?)').join(', ')})`,\n      changes.flatMap(({ account, currency }) => [account, currency]),",
  }),
  bug('a reserve is decided on a balance that is not locked', {
    file: `${STORES}/reserve-transfers.ts`,
    find: '    `${sql} ON CONFLICT (account, currency) DO UPDATE SET units = ${tables.balances}.units RETURNING account, currency, units`,',
    replace: '    `WITH made AS (${sql} ON CONFLICT (account, currency) DO NOTHING RETURNING account, currency, units) SELECT * FROM made UNION ALL SELECT account, currency, units FROM ${tables.balances}`,',
  }),
  bug('an order is decided on without a lock', {
    file: `${STORES}/order-writes.ts`,
    find: 'FROM ${tables.orders} WHERE id = ? ${dialect.forUpdate}`',
    replace: 'FROM ${tables.orders} WHERE id = ? ${dialect.forUpdate.slice(0, 0)}`',
  }),
  bug('a used signature is looked for, then stored', {
    file: `${STORES}/account-store.ts`,
    find: 'return (await this.#db.write(sql, [replayKey, expiresAt])).length > 0;',
    replace: "if ((await this.#db.read(`SELECT 1 AS used FROM ${this.#db.tables.usedSignatures} WHERE replay_key = ?`, [replayKey])).length > 0) return false;\n    return (await this.#db.write(sql, [replayKey, expiresAt])).length >= 0;",
  }),
  bug('a transfer is decided on without a lock', {
    file: `${STORES}/transfer-writes.ts`,
    find: 'FROM ${tables.transfers} WHERE id = ? ${dialect.forUpdate}`',
    replace: 'FROM ${tables.transfers} WHERE id = ? ${dialect.forUpdate.slice(0, 0)}`',
  }),
  bug("an order's callbacks go by the clocks of those who made them", {
    file: `${STORES}/callback-store.ts`,
    find: 'createdAt: Math.max(callback.createdAt, after)',
    replace: 'createdAt: Math.min(callback.createdAt, callback.createdAt + after)',
  }),
];
