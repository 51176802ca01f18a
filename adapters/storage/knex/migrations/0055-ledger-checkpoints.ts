import type { Migration } from './migration.ts';

/**
 * What a check of the ledger has found in order, so that the next one reads only what came since: the sums of all postings that were
 * checked, and in `ledger_unchecked` what was written since (by triggers, see `rules.ts`). A queue and no line through the ids or times:
 * an entry with a lower id may be committed after one with a higher id.
 */
export const ledgerCheckpoints: Migration = {
  name: '0055-ledger-checkpoints',
  statements: (t, { types: { text, int, time, units, serial } }) => [
    `CREATE TABLE ${t.unchecked} (seq ${serial}, kind ${text} NOT NULL, subject ${text} NOT NULL)`,
    `CREATE TABLE ${t.checkpoint} (id ${int} PRIMARY KEY CHECK (id = 1), number ${int} NOT NULL, postings ${int} NOT NULL,
      checked_at ${time} NOT NULL, digest ${text} NOT NULL)`,
    `INSERT INTO ${t.checkpoint} (id, number, postings, checked_at, digest) VALUES (1, 0, 0, 0, '')`,
    `CREATE TABLE ${t.checkpointSums} (account ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL,
      PRIMARY KEY (account, currency))`,
  ],
};
