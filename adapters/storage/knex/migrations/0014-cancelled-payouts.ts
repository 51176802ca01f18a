import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** What was signed before is a payment, and nothing of it is to be cancelled. */
function cancels(t: Tables, { types: { text, time } }: Dialect): string[] {
  return [
    `ALTER TABLE ${t.payoutAttempts} ADD COLUMN kind ${text} DEFAULT 'payment' NOT NULL CHECK (kind IN ('payment', 'cancel'))`,
    `ALTER TABLE ${t.payouts} ADD COLUMN cancel_reason ${text}`,
    `ALTER TABLE ${t.payouts} ADD COLUMN stuck_at ${time}`,
    `ALTER TABLE ${t.transfers} ADD COLUMN deferred_at ${time}`,
  ];
}

/** Payouts that are replaced by a transaction of the till to itself, and transfers that wait. */
export const cancelledPayouts: Migration = { name: '0014-cancelled-payouts', statements: cancels };
