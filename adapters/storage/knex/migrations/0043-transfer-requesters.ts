import type { Migration } from './migration.ts';

/** Who asked for a transfer in the management API, and so does not approve it. */
export const transferRequesters: Migration = {
  name: '0043-transfer-requesters',
  statements: ({ transfers }, { types: { text } }) => [`ALTER TABLE ${transfers} ADD COLUMN requested_by ${text}`],
};
