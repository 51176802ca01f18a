import type { Migration } from './migration.ts';

/** How accounts are presented to payers, and which browser left the address of an order's refund. */
export const payerPage: Migration = {
  name: '0048-payer-page',
  statements: ({ branding, brandNames, accounts, orders }, { types: { text, time, int } }) => [
    `CREATE TABLE ${branding} (
      account_id ${text} PRIMARY KEY REFERENCES ${accounts} (id), name ${text}, colour ${text}, support ${text},
      logo_id ${text}, logo_type ${text}, logo ${text}, version ${int} NOT NULL, updated_at ${time} NOT NULL)`,
    `CREATE INDEX ${branding}_logo ON ${branding} (logo_id) WHERE logo_id IS NOT NULL`,
    `CREATE TABLE ${brandNames} (
      name_key ${text} PRIMARY KEY, account_id ${text} NOT NULL UNIQUE REFERENCES ${accounts} (id))`,
    `ALTER TABLE ${orders} ADD COLUMN refund_browser ${text}`,
  ],
};
