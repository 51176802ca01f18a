import type { Migration } from './migration.ts';

/** What an App key may do beside the limits of its App, as JSON; NULL for a key without restrictions. */
export const appKeyRestrictions: Migration = {
  name: '0002-app-key-restrictions',
  statements: ({ appKeys }, { types: { text } }) => [`ALTER TABLE ${appKeys} ADD COLUMN restrictions ${text}`],
};
