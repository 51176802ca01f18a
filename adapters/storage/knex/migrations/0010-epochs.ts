import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** The identity of the database, and its lives: a restored backup begins another. */
function lives(t: Tables, { types: { text, int, time, flag }, randomId, nowMs }: Dialect): string[] {
  return [
    // The first index of each wallet is a JSON object; wallets without one begin at 0.
    `CREATE TABLE ${t.epochs} (
      number ${int} PRIMARY KEY, till_id ${text} NOT NULL, status ${text} NOT NULL, reason ${text} NOT NULL,
      started_at ${time} NOT NULL, first_indexes ${text} NOT NULL, marked ${flag} NOT NULL)`,
    `INSERT INTO ${t.epochs} (number, till_id, status, reason, started_at, first_indexes, marked)
     VALUES (1, ${randomId}, 'dismissed', 'The database was made.', ${nowMs}, '{}', ${falseOf(flag)})`,
    `CREATE INDEX ${t.payoutAttempts}_created ON ${t.payoutAttempts} (created_at)`,
  ];
}

const falseOf = (flag: string): string => (/bool/i.test(flag) ? 'FALSE' : '0');

/** Epochs. */
export const epochs: Migration = { name: '0010-epochs', statements: lives };
