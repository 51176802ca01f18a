import type { Migration } from './migration.ts';

/**
 * What shop systems keep: with their orders, the permissions of their keys by the names that they know (NULL for a key
 * with scopes alone), and the form of the events that an endpoint receives.
 */
export const greenfield: Migration = {
  name: '0010-greenfield',
  statements: ({ credentials, webhooks, shopOrders, orders }, { types: { text, time } }) => [
    `ALTER TABLE ${credentials} ADD COLUMN permissions ${text}`,
    `ALTER TABLE ${webhooks} ADD COLUMN format ${text} NOT NULL DEFAULT 'standard'`,
    `CREATE TABLE ${shopOrders} (
      order_id ${text} PRIMARY KEY REFERENCES ${orders} (id), account_id ${text} NOT NULL, reference ${text},
      metadata ${text} NOT NULL, checkout ${text} NOT NULL, coins ${text}, archived_at ${time},
      updated_at ${time} NOT NULL)`,
    `CREATE INDEX ${shopOrders}_reference ON ${shopOrders} (reference, account_id) WHERE reference IS NOT NULL`,
  ],
};
