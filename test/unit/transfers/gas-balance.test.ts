import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gasBalance, gasLeft } from '../../../core/payouts/gas-balance.ts';
import type { PayingChain, Storage, Transfer } from '../../../core/index.ts';

/** The gas for a sweep of tokens from an address, where the till sent some and payers deposited coins. */
function available(sent: bigint, shown: bigint, deposits: readonly bigint[] = []): Promise<bigint> {
  const payments = { feeAsset: { currency: 'ETH' }, balance: () => Promise.resolve(shown) };
  const transfers = {
    gasAt: () => Promise.resolve(sent),
    freeAt: () => Promise.resolve(deposits.map((units) => ({ units }))),
  };
  return gasBalance(
    { code: 'ETH', payments } as unknown as PayingChain,
    { transfers: transfers as unknown as Storage['transfers'] },
    '0xdeposit',
  );
}

describe('the gas for a sweep of tokens', () => {
  test('is what the till sent there, not coins that somebody else sent', async () => {
    assert.equal(await available(10n, 10n), 10n);
    assert.equal(await available(10n, 99n), 10n);
  });

  test('is no more than the node shows beside the deposits', async () => {
    assert.equal(await available(10n, 9n), 9n);
    assert.equal(await available(10n, 40n, [20n, 15n]), 5n);
    assert.equal(await available(10n, 45n, [20n, 15n]), 10n);
    assert.equal(await available(10n, 46n, [20n, 15n]), 10n);
  });

  test('is nothing where the till sent none, or more was used than it sent', async () => {
    assert.equal(await available(0n, 50n), 0n);
    assert.equal(await available(-1n, 50n), 0n);
    assert.equal(await available(1n, 50n), 1n);
  });
});

describe('the gas that a mined transfer leaves', () => {
  const left = (transfer: Partial<Transfer>, to: 'CONFIRMED' | 'FAILED', currency = 'ETH') =>
    gasLeft(
      {
        sourceAddress: '0xfrom',
        toAddress: '0xto',
        units: 50n,
        feeUnits: 7n,
        currency: 'ETH',
        ...transfer,
      } as Transfer,
      to,
      { currency, units: 3n },
    );

  test('is all that the till sent, and none where it did not arrive', () => {
    const gas = { kind: 'gas', sourceIndex: null } as const;
    assert.deepEqual(left(gas, 'CONFIRMED'), { address: '0xto', units: 50n });
    assert.deepEqual(left(gas, 'FAILED'), { address: '0xto', units: 0n });
  });

  test('is none at the receiver of a payment', () => {
    assert.deepEqual(left({ kind: 'withdrawal', sourceIndex: null }, 'CONFIRMED'), { address: '0xto', units: 0n });
  });

  test('after a sweep of coins is what of its fee was not used, and after a failed one less by what it cost', () => {
    const sweep = { kind: 'sweep', sourceIndex: 4 } as const;
    assert.deepEqual(left(sweep, 'CONFIRMED'), { address: '0xfrom', units: 4n });
    assert.deepEqual(left(sweep, 'FAILED'), { address: '0xfrom', units: -3n });
  });

  test('after a sweep of tokens is less by what it cost, paid or failed', () => {
    const sweep = { kind: 'sweep', sourceIndex: 4, currency: 'USDT' } as const;
    assert.deepEqual(left(sweep, 'CONFIRMED'), { address: '0xfrom', units: -3n });
    assert.deepEqual(left(sweep, 'FAILED'), { address: '0xfrom', units: -3n });
  });
});
