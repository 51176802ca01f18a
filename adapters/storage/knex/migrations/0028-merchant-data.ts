import type { Migration } from './migration.ts';

/** What a merchant keeps with an order. A reference is unique for its account. */
export const merchantData: Migration = {
  name: '0028-merchant-data',
  statements: ({ orders }, { types: { text } }) => [
    `ALTER TABLE ${orders} ADD COLUMN merchant_reference ${text}`,
    `ALTER TABLE ${orders} ADD COLUMN metadata ${text} DEFAULT '{}' NOT NULL`,
    `CREATE UNIQUE INDEX ${orders}_reference ON ${orders} (account_id, merchant_reference) WHERE merchant_reference IS NOT NULL`,
  ],
};
