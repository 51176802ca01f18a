import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  addAmounts,
  compareDecimals,
  formatAmount,
  formatUnits,
  mulDiv,
  parseAmount,
  parseUnits,
  pow10,
  readDecimal,
  roundUnits,
  BUILT_IN_ASSETS,
  toUnits,
} from '../../../core/index.ts';
import type { Asset, Decimal } from '../../../core/index.ts';

const ETH = BUILT_IN_ASSETS[0] as Asset;
const USDT = BUILT_IN_ASSETS[1] as Asset;
const arbUnits = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

describe('fault 45: an amount from a request', () => {
  const read: Readonly<Record<string, Decimal | null>> = {
    '0': { digits: 0n, scale: 0 },
    '0.000': { digits: 0n, scale: 0 },
    '0e5': { digits: 0n, scale: 0 },
    '0.1': { digits: 1n, scale: 1 },
    '1e-8': { digits: 1n, scale: 8 },
    '1.50E+2': { digits: 150n, scale: 0 },
    '12.3400': { digits: 1234n, scale: 2 },
    '123456789.123456789': { digits: 123_456_789_123_456_789n, scale: 9 },
    '9007199254740993': { digits: 9_007_199_254_740_993n, scale: 0 },
    '100': { digits: 100n, scale: 0 },
    '1e400': null,
    '1e-400': null,
    '1e99999': null,
    '-1': null,
    '-0': null,
    '+1': null,
    '.5': null,
    '5.': null,
    '': null,
    ' 1': null,
    '1 ': null,
    '1_000': null,
    '1,5': null,
    '0x10': null,
    NaN: null,
    Infinity: null,
    '１': null,
  };
  for (const [text, value] of Object.entries(read)) {
    test(`${JSON.stringify(text)} is ${value === null ? 'no amount' : 'read exactly'}`, () =>
      assert.deepEqual(readDecimal(text), value));
  }

  test('may have 78 digits and no more', () => {
    assert.notEqual(readDecimal('9'.repeat(78)), null);
    assert.equal(readDecimal('9'.repeat(79)), null);
    assert.equal(readDecimal(`${'9'.repeat(40)}.${'9'.repeat(39)}`), null);
  });

  test('in plain form has no exponent', () => {
    assert.equal(parseUnits('1e3', 6), null);
    assert.equal(parseUnits('1.5', 6), 1_500_000n);
    assert.equal(parseUnits('9'.repeat(79), 6), null);
  });

  test('with more decimals than the asset is refused, trailing zeros aside', () => {
    assert.equal(parseUnits('0.0000001', 6), null);
    assert.equal(parseUnits('0.1000000000', 6), 100_000n);
    assert.equal(toUnits({ digits: 1n, scale: 7 }, 6), null);
  });
});

describe('units and text', () => {
  test('go there and back for every amount (fault 46: 2^53+1 and 2^256−1 too)', () => {
    fc.assert(
      fc.property(arbUnits, fc.integer({ min: 0, max: 18 }), (units, decimals) =>
        assert.equal(parseUnits(formatUnits(units, decimals), decimals), units),
      ),
    );
    for (const units of [2n ** 53n + 1n, 2n ** 256n - 1n]) assert.equal(parseUnits(formatUnits(units, 18), 18), units);
  });

  test('texts have no exponent, no sign and no trailing zeros', () => {
    fc.assert(
      fc.property(arbUnits, fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        assert.match(formatUnits(units, decimals), /^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
    );
  });

  const written: readonly (readonly [units: bigint, decimals: number, text: string])[] = [
    [0n, 6, '0'],
    [1n, 6, '0.000001'],
    [1_500_000n, 6, '1.5'],
    [1_000_000n, 6, '1'],
    [10n, 0, '10'],
    [-1_500_000n, 6, '-1.5'],
  ];
  for (const [units, decimals, text] of written)
    test(`${units} with ${decimals} decimals is ${text}`, () => assert.equal(formatUnits(units, decimals), text));

  test('an amount knows its asset', () => {
    assert.deepEqual(parseAmount('1.5', USDT), { asset: USDT, units: 1_500_000n });
    assert.equal(parseAmount('1.5000001', USDT), null);
    assert.equal(formatAmount({ asset: ETH, units: 10n ** 17n }), '0.1');
    assert.deepEqual(addAmounts({ asset: USDT, units: 1n }, { asset: USDT, units: 2n }), { asset: USDT, units: 3n });
    assert.throws(() => addAmounts({ asset: USDT, units: 1n }, { asset: ETH, units: 2n }), /adding USDT-ERC20 to ETH/);
  });
});

test('decimals are compared by value, whatever their scale', () => {
  const value = (text: string): Decimal => readDecimal(text)!;
  assert.deepEqual(
    [
      ['1', '1.5'],
      ['2', '1.99'],
      ['0.10', '1e-1'],
    ].map(([a, b]) => compareDecimals(value(a!), value(b!))),
    [-1, 1, 0],
  );
  assert.equal(compareDecimals({ digits: 100n, scale: 2 }, { digits: 1n, scale: 0 }), 0);
});

describe('rounding', () => {
  test('a product is divided once, up or down as named', () => {
    assert.deepEqual([mulDiv(10n, 1n, 3n, 'up'), mulDiv(10n, 1n, 3n, 'down'), mulDiv(9n, 1n, 3n, 'up')], [4n, 3n, 3n]);
    const positive = fc.bigInt({ min: 1n, max: 10n ** 40n });
    fc.assert(
      fc.property(arbUnits, positive, positive, (a, b, c) => {
        const [up, down] = [mulDiv(a, b, c, 'up'), mulDiv(a, b, c, 'down')];
        assert.ok(down * c <= a * b && up * c >= a * b && up - down <= 1n);
      }),
    );
  });

  test('is not for negative numbers, nor by zero', () => {
    assert.throws(() => mulDiv(-1n, 1n, 1n, 'up'));
    assert.throws(() => mulDiv(1n, -1n, 1n, 'up'));
    assert.throws(() => mulDiv(1n, 1n, 0n, 'up'));
  });

  test('to a quote: 8 decimals and 15 digits, never in the payer’s favour by a step', () => {
    const cases: readonly (readonly [units: bigint, decimals: number, rounded: bigint])[] = [
      [1n, 18, 10_000_000_000n],
      [33_333_333_333_333_334n, 18, 33_333_340_000_000_000n],
      [10_000_001n, 6, 10_000_001n],
      [1_234_567_890_123_456_789n, 6, 1_234_567_890_123_460_000n],
      [999_999_999_999_999_999n, 8, 1_000_000_000_000_000_000n],
      [0n, 18, 0n],
    ];
    for (const [units, decimals, rounded] of cases) assert.equal(roundUnits(units, decimals, 8, 15, 'up'), rounded);
    assert.equal(roundUnits(33_333_333_333_333_334n, 18, 8, 15, 'down'), 33_333_330_000_000_000n);
  });

  test('leaves at most 15 significant digits', () => {
    fc.assert(
      fc.property(arbUnits, fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        const rounded = roundUnits(units, decimals, 8, 15, 'up');
        assert.ok(rounded >= units);
        assert.ok(rounded.toString().replace(/0+$/, '').length <= 15);
        assert.equal(rounded % pow10(Math.max(decimals - 8, 0)), 0n);
      }),
    );
  });

  test('powers of ten are whole and bounded', () => {
    assert.equal(pow10(0), 1n);
    assert.equal(pow10(77), 10n ** 77n);
    for (const n of [-1, 1.5, 1001, NaN]) assert.throws(() => pow10(n), /power of ten/);
  });
});
