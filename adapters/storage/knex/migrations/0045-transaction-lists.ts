import type { Migration } from './migration.ts';

/** Lists of transactions, newest first, by any filter, of an account and of all; and what a transaction is searched for by. */
export const transactionLists: Migration = {
  name: '0045-transaction-lists',
  statements: ({ transactions }) => [
    `CREATE INDEX ${transactions}_listed ON ${transactions} (account_id, type, status, happened_at, id)`,
    `CREATE INDEX ${transactions}_coin ON ${transactions} (account_id, currency, type, status, happened_at, id)`,
    `CREATE INDEX ${transactions}_all ON ${transactions} (type, status, happened_at, id)`,
    `CREATE INDEX ${transactions}_all_coin ON ${transactions} (currency, type, status, happened_at, id)`,
    `CREATE INDEX ${transactions}_hash ON ${transactions} (tx_hash) WHERE tx_hash IS NOT NULL`,
    `CREATE INDEX ${transactions}_order ON ${transactions} (order_id) WHERE order_id IS NOT NULL`,
    `CREATE INDEX ${transactions}_sent ON ${transactions} (to_address, (currency || ' ' || type || ' ' || status), happened_at, id)`,
  ],
};
