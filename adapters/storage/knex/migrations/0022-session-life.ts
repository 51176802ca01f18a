import type { Migration } from './migration.ts';

/** When a session was last used; those that are open count as used now. */
export const sessionLife: Migration = {
  name: '0022-session-life',
  statements: ({ sessions }, { types: { time }, nowMs }) => [
    `ALTER TABLE ${sessions} ADD COLUMN last_used_at ${time} DEFAULT 0 NOT NULL`,
    `UPDATE ${sessions} SET last_used_at = ${nowMs}`,
    `CREATE INDEX ${sessions}_use ON ${sessions} (last_used_at)`,
  ],
};
