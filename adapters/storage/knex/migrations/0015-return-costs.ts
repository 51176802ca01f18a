import type { Migration } from './migration.ts';

/** What failed payments of an unassigned deposit back have cost; nothing was charged before. */
export const returnCosts: Migration = {
  name: '0015-return-costs',
  statements: ({ deposits }, { types: { units } }) => [
    `ALTER TABLE ${deposits} ADD COLUMN return_cost_units ${units} DEFAULT '0' NOT NULL`,
  ],
};
