import type { Migration } from './migration.ts';

/** Payment links; the orders of one are counted and listed by status. */
export const paymentLinks: Migration = {
  name: '0049-payment-links',
  statements: ({ links, accounts, orders }, { types: { text, time, int, flag, units } }) => [
    `CREATE TABLE ${links} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${accounts} (id), token ${text} NOT NULL, face ${text} NOT NULL,
      title ${text} NOT NULL, description ${text} NOT NULL, vs_currency ${text} NOT NULL, price ${units}, min_price ${units},
      max_price ${units}, coins ${text}, max_sales ${int}, expires_at ${time}, active ${flag} NOT NULL, return_url ${text},
      callback_url ${text}, timeout_callback ${text}, enable_post_callback ${flag} NOT NULL, fixed_encrypt_price ${flag} NOT NULL,
      reference_prefix ${text}, metadata ${text} NOT NULL, pairing ${text}, devices ${text} NOT NULL, version ${int} NOT NULL,
      created_at ${time} NOT NULL, updated_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${links}_token ON ${links} (token)`,
    `CREATE INDEX ${links}_account ON ${links} (account_id, created_at, id)`,
    `CREATE INDEX ${links}_all ON ${links} (created_at, id)`,
    `ALTER TABLE ${orders} ADD COLUMN link_id ${text} REFERENCES ${links} (id)`,
    `CREATE INDEX ${orders}_link ON ${orders} (link_id, status, created_at, id) WHERE link_id IS NOT NULL`,
  ],
};
