import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** Recent usage of each instance; a row that is not renewed expires. */
function uses(t: Tables, { types: { text, int, time } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.uses} (
      instance ${text} NOT NULL, app_id ${text} NOT NULL, route_id ${text} NOT NULL, taken ${int} NOT NULL, running ${int} NOT NULL,
      shown_at ${time} NOT NULL, PRIMARY KEY (instance, app_id, route_id))`,
    `CREATE INDEX ${t.uses}_shown ON ${t.uses} (shown_at)`,
  ];
}

/** Rate limits shared by the instances of one database. */
export const sharedLimits: Migration = { name: '0007-shared-limits', statements: uses };
