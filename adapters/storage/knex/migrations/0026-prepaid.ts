import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

const statements = (t: Tables, { types: { text, int, time, flag } }: Dialect): string[] => [
  `ALTER TABLE ${t.apps} ADD COLUMN prepaid ${flag} DEFAULT FALSE NOT NULL`,
  `CREATE TABLE ${t.prepaidUnits} (
    app_id ${text} PRIMARY KEY REFERENCES ${t.apps} (id), token ${text} NOT NULL UNIQUE,
    bought ${int} DEFAULT 0 NOT NULL CHECK (bought >= 0), used ${int} DEFAULT 0 NOT NULL CHECK (used >= 0))`,
  `CREATE TABLE ${t.purchases} (
    order_id ${text} PRIMARY KEY REFERENCES ${t.orders} (id), app_id ${text} NOT NULL REFERENCES ${t.prepaidUnits} (app_id),
    plan ${text} NOT NULL, units ${int} NOT NULL CHECK (units > 0), created_at ${time} NOT NULL,
    state ${text} NOT NULL CHECK (state IN ('OPEN', 'CREDITED', 'TAKEN_BACK')))`,
  `CREATE INDEX ${t.purchases}_app ON ${t.purchases} (app_id, created_at)`,
];

/** Units that were bought for Apps, and the orders that pay them. */
export const prepaid: Migration = { name: '0026-prepaid', statements };
