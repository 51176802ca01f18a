import type { Migration } from './migration.ts';

/** Pages of an account's callbacks, or of an endpoint's events, in one status: none of the years of delivered ones is read for a dead one. */
export const callbackLists: Migration = {
  name: '0054-callback-lists',
  statements: ({ callbacks }) => [
    `CREATE INDEX ${callbacks}_listed ON ${callbacks} (account_id, status, id)`,
    `CREATE INDEX ${callbacks}_sent ON ${callbacks} (endpoint_id, status, id) WHERE endpoint_id IS NOT NULL`,
  ],
};
