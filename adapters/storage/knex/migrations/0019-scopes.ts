import type { Migration } from './migration.ts';

/** What a credential may do: everything for those that are there. */
export const scopes: Migration = {
  name: '0019-scopes',
  statements: ({ credentials }, { types: { text } }) => [
    `ALTER TABLE ${credentials} ADD COLUMN scopes ${text} DEFAULT 'read create move' NOT NULL`,
  ],
};
