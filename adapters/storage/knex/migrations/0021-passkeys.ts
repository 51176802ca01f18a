import type { Migration } from './migration.ts';

/** Passkeys of accounts, and the challenges that they are asked to sign. */
export const passkeys: Migration = {
  name: '0021-passkeys',
  statements: ({ passkeys: table, passkeyChallenges: challenges, accounts }, { types: { text, time, int } }) => [
    `CREATE TABLE ${table} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${accounts} (id), credential_id ${text} NOT NULL UNIQUE,
      public_key ${text} NOT NULL, sign_count ${int} NOT NULL, transports ${text} NOT NULL, name ${text} NOT NULL,
      created_at ${time} NOT NULL, last_used_at ${time})`,
    `CREATE INDEX ${table}_account ON ${table} (account_id, id)`,
    `CREATE TABLE ${challenges} (
      hash ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${accounts} (id), purpose ${text} NOT NULL,
      session_hash ${text}, expires_at ${time} NOT NULL)`,
    `CREATE INDEX ${challenges}_account ON ${challenges} (account_id, expires_at)`,
    `CREATE INDEX ${challenges}_expiry ON ${challenges} (expires_at)`,
  ],
};
