import type { Migration } from './migration.ts';

/** The networks that accounts have logged in from. */
export const loginNetworks: Migration = {
  name: '0020-login-networks',
  statements: ({ loginNetworks: table, accounts }, { types: { text, time } }) => [
    `CREATE TABLE ${table} (
      account_id ${text} NOT NULL REFERENCES ${accounts} (id), network ${text} NOT NULL, seen_at ${time} NOT NULL,
      PRIMARY KEY (account_id, network))`,
  ],
};
