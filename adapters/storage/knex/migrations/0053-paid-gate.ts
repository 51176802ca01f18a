import type { Migration } from './migration.ts';

/** Plans that routes sell with their refusals, and the orders that they offer to whoever pays first. */
export const paidGate: Migration = {
  name: '0053-paid-gate',
  statements: (t, { types: { text, int, time } }) => [
    `ALTER TABLE ${t.routes} ADD COLUMN plans ${text} DEFAULT '[]' NOT NULL`,
    `CREATE TABLE ${t.gateOffers} (
      order_id ${text} PRIMARY KEY REFERENCES ${t.orders} (id), plan ${text} NOT NULL, units ${int} NOT NULL CHECK (units > 0),
      created_at ${time} NOT NULL, app_id ${text} REFERENCES ${t.prepaidUnits} (app_id), key_id ${text} REFERENCES ${t.appKeys} (id),
      ticket_hash ${text}, CHECK ((app_id IS NULL) = (ticket_hash IS NULL)), CHECK (key_id IS NULL OR app_id IS NOT NULL))`,
    `CREATE INDEX ${t.gateOffers}_app ON ${t.gateOffers} (app_id, created_at) WHERE app_id IS NOT NULL`,
  ],
};
