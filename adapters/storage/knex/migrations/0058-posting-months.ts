import { attachMonth, monthAt, monthTable, restTable } from '../stores/posting-months.ts';
import { integer } from '../rows/values.ts';
import type { Migration } from './migration.ts';

/**
 * Postings by month on PostgreSQL, so that months can be closed and detached (decision 0068). No row is written anew: the former table
 * becomes the partition of all months up to the present one with the indexes that it has, and is read once, to see that it belongs
 * there. SQLite has no partitions: its table stays, and its closings stay empty.
 */
export const postingMonths: Migration = {
  name: '0058-posting-months',
  statements: ({ postings, entries, closings, closingSums }, { partitions, types: { text, units, time, int } }) => [
    `CREATE TABLE ${closings} (month ${text} PRIMARY KEY, from_at ${time}, until_at ${time} NOT NULL, postings ${int} NOT NULL,
      digest ${text} NOT NULL, closed_at ${time} NOT NULL)`,
    `CREATE TABLE ${closingSums} (month ${text} NOT NULL REFERENCES ${closings} (month), account ${text} NOT NULL,
      currency ${text} NOT NULL, units ${units} NOT NULL, PRIMARY KEY (month, account, currency))`,
    ...(partitions
      ? [
          `ALTER TABLE ${postings} RENAME TO ${postings}_former`,
          ...['listed', 'all'].map((index) => `ALTER INDEX ${postings}_${index} RENAME TO ${postings}_${index}_former`),
          `CREATE TABLE ${postings} (
            entry_id ${text} NOT NULL REFERENCES ${entries} (id), line ${int} NOT NULL, account ${text} NOT NULL, currency ${text} NOT NULL,
            units ${units} NOT NULL, booked_at ${time} NOT NULL) PARTITION BY RANGE (booked_at)`,
          `CREATE INDEX ${postings}_listed ON ${postings} (account, booked_at, entry_id, line)`,
          `CREATE INDEX ${postings}_all ON ${postings} (booked_at, entry_id, line)`,
        ]
      : []),
  ],
  further: async (run, tables, { partitions, nowMs }) => {
    if (!partitions) return;
    const { postings } = tables;
    const [row = {}] = await run(
      `SELECT greatest(${nowMs}, (SELECT max(booked_at) FROM ${postings}_former)) AS newest`,
    );
    const month = monthAt(integer(row, 'newest'));
    await run(`ALTER TABLE ${postings}_former RENAME TO ${monthTable(tables, month.name)}`);
    for (const index of ['listed', 'all'])
      await run(
        `ALTER INDEX ${postings}_${index}_former RENAME TO ${postings}_${index}_${month.name.replace('-', '_')}`,
      );
    await attachMonth(run, tables, { ...month, from: null });
    await run(`CREATE TABLE ${restTable(tables)} PARTITION OF ${postings} (PRIMARY KEY (entry_id, line)) DEFAULT`);
  },
};
