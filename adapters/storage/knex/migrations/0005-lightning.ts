import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** Each invoice is paid for one transfer only; a second payment is refused for ever. */
function payments(t: Tables, { types: { text, units, time } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.lightningPayments} (
      payment_hash ${text} PRIMARY KEY, transfer_id ${text} NOT NULL UNIQUE REFERENCES ${t.transfers} (id), payment_request ${text} NOT NULL,
      msat ${units}, expires_at ${time} NOT NULL)`,
  ];
}

/** Lightning payments of withdrawals. */
export const lightning: Migration = { name: '0005-lightning', statements: payments };
