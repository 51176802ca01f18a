import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

const statements = (t: Tables, { types: { text, int, time } }: Dialect): string[] => [
  `CREATE TABLE ${t.usage} (
    app_id ${text} NOT NULL, hour ${time} NOT NULL, route ${text} NOT NULL, method ${text} NOT NULL, requests ${int} NOT NULL,
    units ${int} NOT NULL, errors ${int} NOT NULL, bytes_in ${int} NOT NULL, bytes_out ${int} NOT NULL,
    PRIMARY KEY (app_id, hour, route, method))`,
  `CREATE INDEX ${t.usage}_hour ON ${t.usage} (hour)`,
  // The sums of a quota's window are read twice a second.
  `CREATE TABLE ${t.usageDays} (
    app_id ${text} NOT NULL, day ${time} NOT NULL, units ${int} NOT NULL, PRIMARY KEY (app_id, day))`,
  `CREATE INDEX ${t.usageDays}_day ON ${t.usageDays} (day)`,
  `CREATE TABLE ${t.usageBatches} (instance ${text} PRIMARY KEY, number ${int} NOT NULL, added_at ${time} NOT NULL)`,
  `ALTER TABLE ${t.routes} ADD COLUMN units ${text} DEFAULT '{}' NOT NULL`,
  `ALTER TABLE ${t.apps} ADD COLUMN quota ${text}`,
];

/** What Apps use: by hour, and by day for their quotas; the last batch of each instance; weights and quotas. */
export const usage: Migration = { name: '0025-usage', statements };
