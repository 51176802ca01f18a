import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HotWallet } from '../../../core/payouts/hot-wallet.ts';
import { isTooScattered, isWorthNeeded, shortfallsOf, TokenShortfall } from '../../../core/payouts/consolidation.ts';
import type { ChainPayments, Storage, Transfer } from '../../../core/index.ts';

const HOT = '0xhot';
const merchant = (units: bigint, given: Partial<Transfer> = {}): Transfer =>
  ({
    kind: 'withdrawal',
    accountId: 7,
    currency: 'USDT',
    units,
    sourceIndex: null,
    reason: 'the hot wallet holds too little',
    ...given,
  }) as unknown as Transfer;

type InFlight = Awaited<ReturnType<Storage['transfers']['inFlight']>>[number];

function hotWallet(balance: bigint, inFlight: readonly Partial<InFlight>[] = []): Promise<HotWallet> {
  const payments = { hotAddress: HOT, feeAsset: { currency: 'ETH' }, balance: () => Promise.resolve(balance) };
  const flights = inFlight.map((each) => ({ sourceAddress: HOT, currency: 'USDT', nativeFeeUnits: 0n, ...each }));
  return HotWallet.open('ETH', payments as unknown as ChainPayments, {
    transfers: { inFlight: () => Promise.resolve(flights) } as unknown as Storage['transfers'],
  });
}

/** How many units are missing of USDT, found by sweeps of one unit that cost nothing; `null` where nothing is short. */
async function missing(
  hot: HotWallet,
  waiting: readonly Transfer[],
  charges?: ReadonlyMap<string, bigint>,
): Promise<bigint | null> {
  const shortfall = (await shortfallsOf(hot, waiting, charges)).get('USDT');
  if (shortfall === undefined) return null;
  let units = 0n;
  for (; shortfall.isMissing; units += 1n) shortfall.addSweep(1n, 0n);
  return units;
}

describe('what the hot wallet can pay', () => {
  test('is its balance less what signed transactions may take, with their fees in the chain’s own coin', async () => {
    const inFlight = [
      { units: 30n, nativeFeeUnits: 4n },
      { sourceAddress: '0xdeposit', units: 500n, nativeFeeUnits: 6n },
    ];
    const hot = await hotWallet(100n, inFlight);
    assert.deepEqual([await hot.free('USDT'), await hot.free('ETH'), await hot.free('USDC')], [70n, 96n, 100n]);
    assert.deepEqual([hot.pays('USDT'), hot.pays('USDC')], [true, false]);
    assert.deepEqual([hot.coming('USDT'), hot.coming('USDC')], [500n, 0n]);
    await hot.spend('USDT', 75n);
    assert.equal(await hot.free('USDT'), -5n);
  });
});

describe('what the hot wallet lacks for payments', () => {
  test('is nothing while it has all that is asked of it, tried or not', async () => {
    assert.equal(await missing(await hotWallet(50n), [merchant(20n), merchant(30n, { reason: null })]), null);
    assert.equal(await missing(await hotWallet(49n), [merchant(20n), merchant(30n)]), 1n);
  });

  test('counts payments of merchants and returns that were tried, not the till’s own', async () => {
    const waiting = [
      merchant(20n),
      merchant(4n, { kind: 'return', accountId: null }),
      merchant(300n, { reason: null }),
      merchant(300n, { kind: 'cold', accountId: null }),
    ];
    assert.equal(await missing(await hotWallet(0n), waiting), 24n);
  });

  test('is less by what sweeps bring, signed or planned, and by what payments are charged', async () => {
    const hot = await hotWallet(5n, [{ sourceAddress: '0xdeposit', units: 7n }]);
    const sweep = merchant(9n, { kind: 'sweep', accountId: null, sourceIndex: 3, reason: null });
    assert.equal(await missing(hot, [merchant(40n), sweep], new Map([['USDT', 2n]])), 17n);
  });

  test('is not known while one of its own payments is in flight', async () => {
    assert.equal(await missing(await hotWallet(10n, [{ units: 1n }]), [merchant(40n)]), 0n);
  });
});

describe('a sweep that payments need', () => {
  test('is worth it up to half of what it moves', () => {
    assert.deepEqual([isWorthNeeded(50n, 100n), isWorthNeeded(51n, 100n)], [true, false]);
  });

  test('that is not worth it is made while something is missing and all such cost at most half of the payments', () => {
    const shortfall = new TokenShortfall(100n, 80n);
    assert.deepEqual([shortfall.canAfford(40n), shortfall.canAfford(41n)], [true, false]);
    shortfall.addSweep(30n, 15n);
    assert.equal(shortfall.canAfford(40n), true, 'one that is worth it takes nothing of the allowance');
    shortfall.addSweep(29n, 15n);
    assert.deepEqual([shortfall.canAfford(25n), shortfall.canAfford(26n)], [true, false]);
    shortfall.addSweep(40n, 0n);
    assert.deepEqual([shortfall.isMissing, shortfall.canAfford(1n)], [true, true]);
    shortfall.addSweep(1n, 0n);
    assert.deepEqual([shortfall.isMissing, shortfall.canAfford(1n)], [false, false]);
  });
});

describe('an amount that is too scattered', () => {
  const places = (...units: readonly bigint[]) => units.map((each) => ({ units: each }));

  test('can be swept together, but only for more than half of it', () => {
    assert.equal(isTooScattered(100n, 100n, places(20n, 20n, 20n, 20n, 20n), 11n), true);
    assert.equal(isTooScattered(100n, 100n, places(20n, 20n, 20n, 20n, 20n), 10n), false);
  });

  test('is not one that a few dear sweeps make up', () => {
    assert.equal(isTooScattered(100n, 20n, places(10n, 10n), 25n), false);
    assert.equal(isTooScattered(100n, 20n, places(10n, 10n), 26n), true);
  });

  test('is not one that all addresses together do not hold, nor one that the first of them hold', () => {
    assert.equal(isTooScattered(100n, 41n, places(20n, 20n), 90n), false);
    assert.equal(isTooScattered(100n, 40n, places(20n, 20n), 90n), true);
    assert.equal(isTooScattered(100n, 90n, places(90n, 1n), 45n), false);
  });
});
