import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR } from '../../../core/index.ts';
import { ManageOrders } from '../../../core/payouts/manage-orders.ts';

test('an order that is paid while it is read is never shown as paid without its payment', async () => {
  const id = '1234567890123456789';
  let paid = false;
  const order = { id, accountId: '1234567890123456780', status: 'PENDING' };
  const orders = new ManageOrders({
    storage: {
      orders: { find: async () => order },
      deposits: { byOrder: async () => (paid ? [{ id: 'deposit' }] : []) },
      unconfirmedPayments: { live: async () => [] },
      callbacks: { byOrder: async () => [] },
      transfers: { refundsOf: async () => [] },
    },
    queries: {
      detail: async () => {
        // It is paid between two statements.
        await new Promise(setImmediate);
        paid = true;
        return { order: { ...order, status: 'SUCCESS' } };
      },
      listed: (found: typeof order) => found,
    },
  } as never);
  const { detail, deposits } = await orders.find(OPERATOR, id as never);
  assert.deepEqual([detail.order.status, deposits.length], ['SUCCESS', 1]);
});
