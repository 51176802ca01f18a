import type { Migration } from './migration.ts';

/** When a password that somebody else set expires; those that are there are the accounts' own. */
export const temporaryPasswords: Migration = {
  name: '0023-temporary-passwords',
  statements: ({ accounts }, { types: { time } }) => [`ALTER TABLE ${accounts} ADD COLUMN password_expires_at ${time}`],
};
