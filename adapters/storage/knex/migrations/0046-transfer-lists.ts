import type { Migration } from './migration.ts';

/** The withdrawals and refunds of an account, newest first, all of them and those of one status. */
export const transferLists: Migration = {
  name: '0046-transfer-lists',
  statements: ({ transfers }) => [
    `CREATE INDEX ${transfers}_owned ON ${transfers} (account_id, id) WHERE account_id IS NOT NULL`,
    `CREATE INDEX ${transfers}_owned_status ON ${transfers} (account_id, status, id) WHERE account_id IS NOT NULL`,
  ],
};
