import type { Migration } from './migration.ts';

/**
 * Lists of orders, newest first, by any filter: of an account, and of all for admins. A reference is found without its account too.
 */
export const orderLists: Migration = {
  name: '0030-order-lists',
  statements: ({ orders }) => [
    `CREATE INDEX ${orders}_listed ON ${orders} (account_id, status, created_at, id)`,
    `CREATE INDEX ${orders}_coin ON ${orders} (account_id, currency, status, created_at, id) WHERE currency IS NOT NULL`,
    `CREATE INDEX ${orders}_all ON ${orders} (status, created_at, id)`,
    `CREATE INDEX ${orders}_all_coin ON ${orders} (currency, status, created_at, id) WHERE currency IS NOT NULL`,
    `DROP INDEX ${orders}_reference`,
    `CREATE UNIQUE INDEX ${orders}_reference ON ${orders} (merchant_reference, account_id) WHERE merchant_reference IS NOT NULL`,
  ],
};
