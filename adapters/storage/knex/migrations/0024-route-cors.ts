import type { Migration } from './migration.ts';

/** From which pages a gateway may be used: from any for those that are there. */
export const routeCors: Migration = {
  name: '0024-route-cors',
  statements: ({ routes }, { types: { text } }) => [
    `ALTER TABLE ${routes} ADD COLUMN cors ${text} DEFAULT '{"origins":["*"]}' NOT NULL`,
  ],
};
