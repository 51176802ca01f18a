import type { Dialect } from '../../dialects/dialect.ts';
import { restTable } from '../../stores/ledger/posting-months.ts';
import type { Tables } from '../../tables.ts';

/**
 * The double-entry ledger. Entries and postings are never changed; a balance is the sum of its postings. Where the engine has
 * partitions, postings have one for each month, which can be closed and detached; each has its own primary key, since that of
 * a partitioned table would have to contain the time.
 */
export function ledger(t: Tables, dialect: Dialect): string[] {
  const { types, partitions } = dialect;
  const { text, units, time, int, serial } = types;
  return [
    `CREATE TABLE ${t.entries} (
      id ${text} PRIMARY KEY, booked_at ${time} NOT NULL, kind ${text} NOT NULL, reference ${text} NOT NULL UNIQUE)`,
    `CREATE TABLE ${t.postings} (
      entry_id ${text} NOT NULL REFERENCES ${t.entries} (id), line ${int} NOT NULL, account ${text} NOT NULL,
      currency ${text} NOT NULL, units ${units} NOT NULL, booked_at ${time} NOT NULL
      ${partitions ? ') PARTITION BY RANGE (booked_at)' : ', PRIMARY KEY (entry_id, line))'}`,
    // For postings of a month without a partition, so that a wrong clock does not make a credit fail.
    ...(partitions
      ? [`CREATE TABLE ${restTable(t)} PARTITION OF ${t.postings} (PRIMARY KEY (entry_id, line)) DEFAULT`]
      : []),
    `CREATE INDEX ${t.postings}_listed ON ${t.postings} (account, booked_at, entry_id, line)`,
    `CREATE INDEX ${t.postings}_all ON ${t.postings} (booked_at, entry_id, line)`,
    `CREATE TABLE ${t.balances} (
      account ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL, PRIMARY KEY (account, currency),
      CHECK (substr(account, 1, 9) <> 'merchant:' OR NOT (${dialect.isNegative('units')})))`,
    // Entries and orders that the next check of the ledger reads; filled by triggers. A queue and no line through the ids or
    // times: an entry with a lower id may be committed after one with a higher id.
    `CREATE TABLE ${t.unchecked} (
      seq ${serial}, kind ${text} NOT NULL, subject ${text} NOT NULL)`,
    `CREATE TABLE ${t.checkpoint} (
      id ${int} PRIMARY KEY CHECK (id = 1), number ${int} NOT NULL, postings ${int} NOT NULL, checked_at ${time} NOT NULL,
      digest ${text} NOT NULL)`,
    `INSERT INTO ${t.checkpoint} (id, number, postings, checked_at, digest) VALUES (1, 0, 0, 0, '')`,
    // The sums of all postings that were checked.
    `CREATE TABLE ${t.checkpointSums} (
      account ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL, PRIMARY KEY (account, currency))`,
    // Closed months, whose postings may be detached.
    `CREATE TABLE ${t.closings} (
      month ${text} PRIMARY KEY, from_at ${time}, until_at ${time} NOT NULL, postings ${int} NOT NULL, digest ${text} NOT NULL,
      closed_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.closingSums} (
      month ${text} NOT NULL REFERENCES ${t.closings} (month), account ${text} NOT NULL, currency ${text} NOT NULL,
      units ${units} NOT NULL, PRIMARY KEY (month, account, currency))`,
  ];
}
