import type { Migration } from './migration.ts';

/**
 * Lists of postings by time: of a ledger account, and of all. Postings get the time of their entry; the table is made anew for it,
 * since its triggers let nobody change the rows that are there.
 */
export const ledgerLists: Migration = {
  name: '0038-ledger-lists',
  statements: ({ postings, entries }, { types: { text, units, time, int } }) => [
    `ALTER TABLE ${postings} RENAME TO ${postings}_untimed`,
    `CREATE TABLE ${postings} (
      entry_id ${text} NOT NULL REFERENCES ${entries} (id), line ${int} NOT NULL, account ${text} NOT NULL, currency ${text} NOT NULL,
      units ${units} NOT NULL, booked_at ${time} NOT NULL, PRIMARY KEY (entry_id, line))`,
    `INSERT INTO ${postings} (entry_id, line, account, currency, units, booked_at)
      SELECT p.entry_id, p.line, p.account, p.currency, p.units, e.booked_at FROM ${postings}_untimed p JOIN ${entries} e ON e.id = p.entry_id`,
    `DROP TABLE ${postings}_untimed`,
    `CREATE INDEX ${postings}_listed ON ${postings} (account, booked_at, entry_id, line)`,
    `CREATE INDEX ${postings}_all ON ${postings} (booked_at, entry_id, line)`,
  ],
};
