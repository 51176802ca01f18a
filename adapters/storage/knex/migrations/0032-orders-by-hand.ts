import type { Migration } from './migration.ts';

/** Whether the payer chooses the coin, which orders made by hand may leave open too. */
export const ordersByHand: Migration = {
  name: '0032-orders-by-hand',
  statements: ({ orders }, { types: { flag } }) => [
    `ALTER TABLE ${orders} ADD COLUMN hosted ${flag} DEFAULT FALSE NOT NULL`,
    `UPDATE ${orders} SET hosted = TRUE WHERE platform = 'CHECKOUT'`,
  ],
};
