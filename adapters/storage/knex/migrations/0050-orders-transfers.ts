import type { Migration } from './migration.ts';

/** An order's refunds and pulls: before another pull is taken, those that came to nothing are counted. */
export const ordersTransfers: Migration = {
  name: '0050-orders-transfers',
  statements: ({ transfers }) => [
    `CREATE INDEX ${transfers}_of_order ON ${transfers} (order_id) WHERE order_id IS NOT NULL`,
  ],
};
