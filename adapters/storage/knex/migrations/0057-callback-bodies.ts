import type { Migration } from './migration.ts';

/** Delivered callbacks whose body is still kept, the oldest first: those of the last months. */
export const callbackBodies: Migration = {
  name: '0057-callback-bodies',
  statements: ({ callbacks }) => [
    `CREATE INDEX ${callbacks}_bodies ON ${callbacks} (delivered_at) WHERE status = 'DELIVERED' AND body IS NOT NULL`,
  ],
};
