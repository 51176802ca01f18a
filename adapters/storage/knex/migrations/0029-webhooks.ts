import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** An event of an endpoint has no order. SQLite cannot drop NOT NULL: the column is made anew. */
const withoutOrder = ({ callbacks, orders }: Tables, { manyServers, types: { text } }: Dialect): string[] =>
  manyServers
    ? [`ALTER TABLE ${callbacks} ALTER COLUMN order_id DROP NOT NULL`]
    : [
        `ALTER TABLE ${callbacks} ADD COLUMN of_order ${text} REFERENCES ${orders} (id)`,
        `UPDATE ${callbacks} SET of_order = order_id`,
        `DROP INDEX ${callbacks}_event`,
        `ALTER TABLE ${callbacks} DROP COLUMN order_id`,
        `ALTER TABLE ${callbacks} RENAME COLUMN of_order TO order_id`,
        `CREATE UNIQUE INDEX ${callbacks}_event ON ${callbacks} (order_id, event)`,
      ];

const statements = (t: Tables, dialect: Dialect): string[] => {
  const { text, time, flag } = dialect.types;
  return [
    `CREATE TABLE ${t.webhooks} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), url ${text} NOT NULL, events ${text} NOT NULL,
      enabled ${flag} NOT NULL, sealed ${text} NOT NULL, previous_sealed ${text}, previous_until ${time},
      created_at ${time} NOT NULL, updated_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.webhooks}_account ON ${t.webhooks} (account_id, id)`,
    ...withoutOrder(t, dialect),
    `ALTER TABLE ${t.callbacks} ADD COLUMN endpoint_id ${text}`,
    `ALTER TABLE ${t.callbacks} ADD COLUMN subject_id ${text}`,
    `CREATE INDEX ${t.callbacks}_endpoint ON ${t.callbacks} (endpoint_id, id) WHERE endpoint_id IS NOT NULL`,
    `CREATE INDEX ${t.callbacks}_subject ON ${t.callbacks} (endpoint_id, subject_id) WHERE status = 'PENDING'`,
  ];
};

/** Webhook endpoints; their events are rows of the outbox. */
export const webhooks: Migration = { name: '0029-webhooks', statements };
