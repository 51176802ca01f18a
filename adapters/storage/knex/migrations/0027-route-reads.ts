import type { Migration } from './migration.ts';

/** How a gateway sends reads to its nodes. What a row leaves out has its default. */
export const routeReads: Migration = {
  name: '0027-route-reads',
  statements: ({ routes }, { types: { text } }) => [
    `ALTER TABLE ${routes} ADD COLUMN reads ${text} DEFAULT '{}' NOT NULL`,
  ],
};
