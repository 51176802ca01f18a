import type { Migration } from './migration.ts';

/**
 * Authorizations of payers that the till sends: each is stored once for ever, and an order has one under way. The column of
 * kinds has a list that is older; a row with an authorization is a pull.
 */
export const pulls: Migration = {
  name: '0052-pulls',
  statements: ({ transfers }, { types: { text } }) => [
    `ALTER TABLE ${transfers} ADD COLUMN pull_authorization ${text}`,
    `ALTER TABLE ${transfers} ADD COLUMN authorization_key ${text}`,
    `CREATE UNIQUE INDEX ${transfers}_authorization ON ${transfers} (chain, authorization_key) WHERE authorization_key IS NOT NULL`,
    `CREATE UNIQUE INDEX ${transfers}_one_pull ON ${transfers} (order_id)
      WHERE authorization_key IS NOT NULL AND status NOT IN ('CONFIRMED', 'FAILED')`,
  ],
};
