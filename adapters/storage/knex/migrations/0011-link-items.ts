import type { Migration } from './migration.ts';

/** What payment links sell and which tips they offer, as JSON, and what was bought with an order; NULL for no items. */
export const linkItems: Migration = {
  name: '0011-link-items',
  statements: ({ links, orders }, { types: { text } }) => [
    `ALTER TABLE ${links} ADD COLUMN items ${text} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE ${links} ADD COLUMN tips ${text} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE ${orders} ADD COLUMN cart ${text}`,
  ],
};
