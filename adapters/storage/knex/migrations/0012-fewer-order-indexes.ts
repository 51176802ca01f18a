import type { Migration } from './migration.ts';

/**
 * A new order writes fewer index entries. Orders in PENDING are left out of the lists by status, where each would be written
 * again when its status changes, and have two short lists of their own. An address is either compared already or not, and is in the
 * index of one of both.
 */
export const fewerOrderIndexes: Migration = {
  name: '0012-fewer-order-indexes',
  statements: ({ orders, addresses }) => [
    ...['listed', 'coin', 'all', 'all_coin'].map((name) => `DROP INDEX ${orders}_${name}`),
    `CREATE INDEX ${orders}_listed ON ${orders} (account_id, status, created_at, id) WHERE status <> 'PENDING'`,
    `CREATE INDEX ${orders}_coin ON ${orders} (account_id, currency, status, created_at, id) WHERE status <> 'PENDING' AND currency IS NOT NULL`,
    `CREATE INDEX ${orders}_all ON ${orders} (status, created_at, id) WHERE status <> 'PENDING'`,
    `CREATE INDEX ${orders}_all_coin ON ${orders} (currency, status, created_at, id) WHERE status <> 'PENDING' AND currency IS NOT NULL`,
    `CREATE INDEX ${orders}_open ON ${orders} (account_id, created_at, id, currency) WHERE status = 'PENDING'`,
    `CREATE INDEX ${orders}_all_open ON ${orders} (status, created_at, id, currency) WHERE status = 'PENDING'`,
    `DROP INDEX ${addresses}_watch`,
    `CREATE INDEX ${addresses}_watch ON ${addresses} (chain, watch_until, order_id) WHERE compared_height IS NOT NULL`,
  ],
};
