import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { voidPayout } from '../../../core/payouts/finish-payout.ts';
import type { PayoutStatus, PayoutView, Transaction } from '../../../core/index.ts';

/** A transaction whose payout has this status, and what is done to it. */
function transactionOf(status: PayoutStatus) {
  const calls: unknown[][] = [];
  const transfers = {
    lockPayout: async () => ({ status }),
    closePayout: async (...call: unknown[]) => {
      calls.push(['close', ...call]);
      return true;
    },
    settleHoldings: async (...call: unknown[]) => void calls.push(['settle', ...call]),
  };
  return { tx: { transfers } as unknown as Transaction, calls };
}

const view = { payout: { id: '7' }, attempts: [], transfers: [] } as unknown as PayoutView;
const context = { payments: { feeAsset: { currency: 'BTC' } }, now: 0 } as unknown as Parameters<typeof voidPayout>[3];

describe('a payout that can never be mined', () => {
  for (const holdings of ['FREE', 'SPENT'] as const)
    test(`leaves its coins ${holdings}`, async () => {
      const { tx, calls } = transactionOf('LIVE');
      await voidPayout(tx, view, { reason: 'its nonce was used', holdings }, context);
      assert.deepEqual(calls, [
        ['close', '7', 'VOID', {}],
        ['settle', '7', holdings],
      ]);
    });

  test('is left alone once it has ended', async () => {
    const { tx, calls } = transactionOf('DONE');
    assert.deepEqual(await voidPayout(tx, view, { reason: 'late', holdings: 'FREE' }, context), {
      transfers: [],
      orders: [],
    });
    assert.deepEqual(calls, []);
  });
});
