import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { selectCoins, sumOf } from '../../../adapters/chains/utxo/coin-selection.ts';
import { feeOf, virtualSizeOf } from '../../../adapters/chains/utxo/transaction-size.ts';
import type { SpendableCoin } from '../../../core/index.ts';

const DUST = 294n;
const LIMITS = { dust: DUST, maxInputs: 200 };
const coin = (units: bigint, at: number): SpendableCoin => ({
  ref: `${at.toString(16).padStart(64, '0')}:0`,
  address: 'a',
  index: at,
  units,
});
const coins = (...units: readonly bigint[]): readonly SpendableCoin[] => units.map(coin);
const unitsOf = (chosen: readonly SpendableCoin[] | null): readonly bigint[] | undefined =>
  chosen?.map(({ units }) => units);

const coinsUpTo = (maxLength: number): fc.Arbitrary<SpendableCoin[]> =>
  fc.array(fc.bigInt({ min: 1n, max: 10n ** 10n }), { maxLength }).map((units) => units.map(coin));
const anyCoins = coinsUpTo(60);
/** So few that every three of them are tried. */
const someCoins = coinsUpTo(30);
const anyTarget = fc.bigInt({ min: 1n, max: 10n ** 11n });

describe('coin selection', () => {
  test('property: what is chosen is worth the target, of the coins given, each once, and not chosen in vain', () => {
    fc.assert(
      fc.property(anyCoins, anyTarget, fc.integer({ min: 1, max: 80 }), (given, target, maxInputs) => {
        const chosen = selectCoins(given, target, { dust: DUST, maxInputs });
        const largest = [...given].sort((a, b) => (a.units < b.units ? 1 : -1)).slice(0, maxInputs);
        assert.equal(chosen === null, sumOf(largest) < target);
        if (chosen === null) return;
        assert.ok(sumOf(chosen) >= target && chosen.length <= maxInputs);
        assert.equal(new Set(chosen).size, chosen.length);
        assert.ok(chosen.every((each) => given.includes(each)));
        // Without any one of them it would not do, or would leave less than dust.
        for (const each of chosen) assert.ok(sumOf(chosen) - each.units < target + DUST);
      }),
    );
  });

  test('property: the order in which coins come makes no difference', () => {
    fc.assert(
      fc.property(anyCoins, anyTarget, (given, target) => {
        assert.deepEqual(selectCoins(given, target, LIMITS), selectCoins(given.toReversed(), target, LIMITS));
      }),
    );
  });

  test('property: coins that leave no change are found where two make the target', () => {
    fc.assert(
      fc.property(someCoins, fc.nat(), fc.nat(), (given, one, two) => {
        fc.pre(given.length >= 2);
        const [a, b] = [given[one % given.length] as SpendableCoin, given[two % given.length] as SpendableCoin];
        fc.pre(a !== b);
        const chosen = selectCoins(given, a.units + b.units, LIMITS);
        assert.ok(chosen !== null && sumOf(chosen) === a.units + b.units);
      }),
      { numRuns: 60 },
    );
  });

  test('property: fault 88: less than dust is left to the miner only where no coin more could make it change', () => {
    fc.assert(
      fc.property(someCoins, anyTarget, fc.integer({ min: 1, max: 40 }), (given, target, maxInputs) => {
        const chosen = selectCoins(given, target, { dust: DUST, maxInputs });
        if (chosen === null) return;
        const left = sumOf(chosen) - target;
        if (left === 0n || left >= DUST || chosen.length === maxInputs) return;
        const unused = given.filter((each) => !chosen.includes(each));
        assert.ok(unused.every(({ units }) => left + units < DUST));
      }),
    );
  });

  test('coins that make the amount exactly come first; without them, the fewest, and no larger ones than needed', () => {
    assert.deepEqual(unitsOf(selectCoins(coins(90_000n, 50_000n, 40_000n, 10_000n), 50_000n, LIMITS)), [50_000n]);
    assert.deepEqual(unitsOf(selectCoins(coins(90_000n, 70_000n, 1_000n), 60_000n, LIMITS)), [70_000n]);
    assert.deepEqual(unitsOf(selectCoins(coins(90_000n, 80_000n, 60_000n, 1_000n), 120_000n, LIMITS)), [
      90_000n,
      60_000n,
    ]);
  });

  test('fault 88: change that would be dust is made worth having by one coin more', () => {
    assert.deepEqual(unitsOf(selectCoins(coins(50_000n, 9_000n, 1_000n), 49_900n, LIMITS)), [50_000n, 1_000n]);
    assert.deepEqual(unitsOf(selectCoins(coins(50_000n), 49_900n, LIMITS)), [50_000n]);
  });

  test('a choice whose change would be dust is passed over for one with change worth having', () => {
    const [least] = unitsOf(selectCoins(coins(100_000n, 50_000n + DUST), 50_000n, LIMITS)) ?? [];
    assert.equal(least, 50_000n + DUST);
  });

  test('a great many coins are chosen from in time', () => {
    const many = Array.from({ length: 500 }, (_, at) => coin(BigInt(10_000 + at * 7), at));
    assert.equal(selectCoins(many, 1_800_000n, LIMITS) === null, false);
    assert.equal(selectCoins(many, 10n ** 9n, LIMITS), null);
  });
});

describe('sizes and fees', () => {
  test('sizes are those of the standard’s weights', () => {
    // One input and two outputs of the usual form: 141 virtual bytes, as every wallet knows.
    assert.equal(virtualSizeOf(1, [22, 22]), 141);
    assert.equal(virtualSizeOf(1, [22]), 110);
    assert.equal(virtualSizeOf(2, [22, 22]), 209);
    assert.equal(virtualSizeOf(1, [25]), 113);
  });

  test('property: a fee is never below its rate, and less than a unit above it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 8n }), fc.integer({ min: 60, max: 100_000 }), (rate, vbytes) => {
        const exact = rate * BigInt(vbytes);
        const fee = feeOf(rate, vbytes) * 1_000n;
        assert.ok(fee >= exact && fee < exact + 1_000n);
      }),
    );
  });
});
