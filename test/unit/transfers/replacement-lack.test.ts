import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { replacementLack } from '../../../core/payouts/replacement-cost.ts';
import type { PayingChain, PayoutView, Storage, Transfer } from '../../../core/index.ts';

const HOT = '0xhot';
const payments = { hotAddress: HOT, feeAsset: { currency: 'ETH', decimals: 2 } };
const chain = { code: 'ETH', payments } as unknown as PayingChain;

/** What the chain owns, and what waiting payments may be charged for sweeps. */
interface Till {
  readonly float?: bigint;
  readonly allowance?: bigint;
}

function storageOf({ float = 0n, allowance = 0n }: Till): Storage {
  const waiting = {
    kind: 'withdrawal',
    status: 'REQUESTED',
    currency: 'ETH',
    isMerchants: true,
    maxFeeUnits: allowance * 2n,
  };
  return {
    transfers: {
      position: () =>
        Promise.resolve({
          balances: [{ account: 'operator:ETH', currency: 'ETH', units: float }],
          live: allowance === 0n ? [] : [waiting],
          inFlight: [],
        }),
    },
  } as unknown as Storage;
}

const payment = (given: Partial<Transfer> = {}): Partial<Transfer> => ({
  accountId: '7' as Transfer['accountId'],
  kind: 'withdrawal',
  currency: 'ETH',
  units: 1_000n,
  feeUnits: 10n,
  ...given,
});

/** A payout whose only attempt costs 10. */
function payoutOf(transfers: readonly Partial<Transfer>[], sourceIndex: number | null = null): PayoutView {
  return {
    payout: { id: '1', sourceIndex },
    attempts: [{ feeUnits: 10n }],
    transfers,
  } as unknown as PayoutView;
}

const lack = (
  view: PayoutView,
  till: Till,
  kind: 'payment' | 'cancel' = 'payment',
  feeUnits = 25n,
): Promise<string | null> => replacementLack(chain, storageOf(till), view, { kind, feeUnits });

describe('what the till lacks for a replacement', () => {
  test('is what a raised fee costs beyond the dearest attempt, to the unit', async () => {
    assert.equal(await lack(payoutOf([payment()]), { float: 15n }), null);
    assert.match((await lack(payoutOf([payment()]), { float: 14n })) ?? '', /at least 0\.01 ETH to 0xhot/);
  });

  test('is nothing where no more is paid than before, also where the till has lost coins', async () => {
    assert.equal(await lack(payoutOf([payment()]), { float: -5n }, 'payment', 10n), null);
    assert.notEqual(await lack(payoutOf([payment()]), { float: -5n }, 'payment', 11n), null);
  });

  test('is not lent by other payments that wait, except for a sweep of the chain’s own coin', async () => {
    assert.notEqual(await lack(payoutOf([payment()]), { allowance: 100n }), null);
    const sweep = payment({ accountId: null, kind: 'sweep', feeUnits: 0n });
    assert.equal(await lack(payoutOf([sweep], 4), { allowance: 100n }), null);
    assert.notEqual(await lack(payoutOf([sweep], 4), { allowance: 14n }), null);
  });

  test('of a cancel is what its owners do not pay: those of tokens pay nothing of it in the chain’s coin', async () => {
    assert.equal(await lack(payoutOf([payment()]), {}, 'cancel'), null, 'its owner pays all of it');
    const token = payment({ currency: 'USDT' });
    assert.equal(await lack(payoutOf([token]), { float: 15n }, 'cancel'), null);
    assert.notEqual(await lack(payoutOf([token]), { float: 14n }, 'cancel'), null);
    // Two share the attempt, and one of them pays its half.
    const both = payoutOf([payment({ feeUnits: 5n }), token]);
    assert.equal(await lack(both, { float: 7n }, 'cancel', 24n), null);
    assert.notEqual(await lack(both, { float: 6n }, 'cancel', 24n), null);
  });

  test('counts no charge of the till’s own moves', async () => {
    const own = payment({ accountId: null, kind: 'cold', feeUnits: 10n });
    assert.equal(await lack(payoutOf([own]), { float: 15n }, 'cancel'), null);
    assert.notEqual(await lack(payoutOf([own]), { float: 14n }, 'cancel'), null);
  });

  test('is nothing for a token’s sweep, which pays with the gas at its own address', async () => {
    const sweep = payment({ accountId: null, kind: 'sweep', currency: 'USDT', feeUnits: 0n });
    assert.equal(await lack(payoutOf([sweep], 4), {}), null);
  });
});
