import type { Migration } from './migration.ts';

/** Alerts; at most one of a kind and subject is open. */
export const alerts: Migration = {
  name: '0039-alerts',
  statements: ({ alerts: table, accounts }, { types: { text, time, int } }) => [
    `CREATE TABLE ${table} (
      id ${text} PRIMARY KEY, kind ${text} NOT NULL, subject ${text} NOT NULL, reason ${text} NOT NULL, status ${text} NOT NULL,
      first_at ${time} NOT NULL, last_at ${time} NOT NULL, raised ${int} NOT NULL,
      acknowledged_at ${time}, acknowledged_by ${text} REFERENCES ${accounts} (id))`,
    `CREATE UNIQUE INDEX ${table}_open ON ${table} (kind, subject) WHERE status = 'OPEN'`,
    `CREATE INDEX ${table}_status ON ${table} (status, id)`,
  ],
};
