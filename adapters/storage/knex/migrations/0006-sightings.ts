import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** Few at any time: what waits to be mined, and for some days what disappeared. */
function seen(t: Tables, { types: { text, units, time } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.sightings} (
      chain ${text} NOT NULL, txid ${text} NOT NULL, tx_index ${text} NOT NULL, order_id ${text} NOT NULL REFERENCES ${t.orders} (id),
      watch_key ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL, seen_at ${time} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('WAITING', 'MISSING', 'GONE')), since ${time} NOT NULL,
      PRIMARY KEY (chain, txid, tx_index))`,
    `CREATE INDEX ${t.sightings}_live ON ${t.sightings} (order_id) WHERE status <> 'GONE'`,
  ];
}

/** Payments that were seen before they were mined. */
export const sightings: Migration = { name: '0006-sightings', statements: seen };
