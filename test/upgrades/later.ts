import type { Migration } from '../../adapters/storage/knex/migrations/migration.ts';

/** A step as a later release may have it: it makes a table with triggers anew, and fills a new column. */
export const LATER: Migration = {
  name: '9000-a-later-step',
  statements: ({ alerts }, { types: { text, time, int } }) => [
    `ALTER TABLE ${alerts} RENAME TO ${alerts}_former`,
    `DROP INDEX ${alerts}_open`,
    `DROP INDEX ${alerts}_status`,
    `CREATE TABLE ${alerts} (
      id ${text} PRIMARY KEY, kind ${text} NOT NULL, subject ${text} NOT NULL, reason ${text} NOT NULL, status ${text} NOT NULL,
      first_at ${time} NOT NULL, last_at ${time} NOT NULL, raised ${int} NOT NULL, acknowledged_at ${time}, acknowledged_by ${text},
      severity ${text} NOT NULL)`,
    `INSERT INTO ${alerts} (id, kind, subject, reason, status, first_at, last_at, raised, acknowledged_at, acknowledged_by, severity)
     SELECT id, kind, subject, reason, status, first_at, last_at, raised, acknowledged_at, acknowledged_by, 'unknown'
     FROM ${alerts}_former`,
    `DROP TABLE ${alerts}_former`,
    `CREATE UNIQUE INDEX ${alerts}_open ON ${alerts} (kind, subject) WHERE status = 'OPEN'`,
  ],
};
