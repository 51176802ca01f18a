import type { Migration } from './migration.ts';

/**
 * What a check of the ledger has found in order, so that the next one reads only what came since: the sums of all postings that were
 * checked, and in `ledger_unsealed` what was written since (by triggers, see `rules.ts`). A queue and no line through the ids or times:
 * an entry with a lower id may be committed after one with a higher id.
 */
export const ledgerSeals: Migration = {
  name: '0055-ledger-seals',
  statements: (t, { types: { text, int, time, units, serial } }) => [
    `CREATE TABLE ${t.unsealed} (seq ${serial}, kind ${text} NOT NULL, subject ${text} NOT NULL)`,
    `CREATE TABLE ${t.seal} (id ${int} PRIMARY KEY CHECK (id = 1), number ${int} NOT NULL, postings ${int} NOT NULL,
      sealed_at ${time} NOT NULL, digest ${text} NOT NULL)`,
    `INSERT INTO ${t.seal} (id, number, postings, sealed_at, digest) VALUES (1, 0, 0, 0, '')`,
    `CREATE TABLE ${t.sealedSums} (account ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL,
      PRIMARY KEY (account, currency))`,
  ],
};
