import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkLimits, heldAbove, requireVerified } from '../../../core/payouts/withdrawal-rules.ts';
import type { Account, Asset, Transfer } from '../../../core/index.ts';

type Settings = Parameters<typeof checkLimits>[0];

const usdt = { currency: 'USDT', decimals: 2 } as Asset;
const settings = (given: Partial<Record<'min' | 'max' | 'approveAbove', string>>): Settings => {
  const map = (text?: string): ReadonlyMap<string, string> => new Map(text === undefined ? [] : [['USDT', text]]);
  return { min: map(given.min), max: map(given.max), approveAbove: map(given.approveAbove) } as Settings;
};
const allows = (given: Settings, units: bigint): boolean => {
  try {
    checkLimits(given, usdt, units);
    return true;
  } catch {
    return false;
  }
};

describe('the limits of a withdrawal', () => {
  test('are both allowed themselves', () => {
    const both = settings({ min: '0.10', max: '5' });
    assert.deepEqual(
      [9n, 10n, 500n, 501n].map((units) => allows(both, units)),
      [false, true, true, false],
    );
  });

  test('hold each by itself, and none where none is set', () => {
    assert.deepEqual(
      [allows(settings({ min: '0.10' }), 9n), allows(settings({ min: '0.10' }), 10_000n)],
      [false, true],
    );
    assert.deepEqual([allows(settings({ max: '5' }), 1n), allows(settings({ max: '5' }), 501n)], [true, false]);
    assert.equal(allows(settings({}), 1n), true);
  });

  test('are of the withdrawn currency only', () => {
    const other = { ...usdt, currency: 'USDC' };
    assert.doesNotThrow(() => checkLimits(settings({ min: '1', max: '5' }), other, 9_999n));
  });

  test('are named in the refusal', () => {
    const wrong = (given: Settings) =>
      assert.throws(() => checkLimits(given, usdt, 0n), /must be at least 1 and at most 5\./);
    wrong(settings({ min: '1', max: '5' }));
  });
});

describe('a withdrawal that an operator has to approve', () => {
  const status = (units: bigint, approveAbove?: string): string =>
    heldAbove(settings(approveAbove === undefined ? {} : { approveAbove }), usdt, {
      units,
      status: 'REQUESTED',
    } as Transfer).status;

  test('is one above the threshold; at it, and where there is none, it is requested', () => {
    assert.deepEqual([status(101n, '1'), status(100n, '1'), status(10_000n)], ['HELD', 'REQUESTED', 'REQUESTED']);
  });
});

describe('a withdrawal of an account', () => {
  const allowed = (verifiedCurrencies: readonly string[]) => () =>
    requireVerified({ verifiedCurrencies } as unknown as Account, 'USDT');

  test('is of a currency that it is verified for, or of any when it is for all', () => {
    assert.doesNotThrow(allowed(['BTC', 'USDT']));
    assert.doesNotThrow(allowed(['*']));
    assert.throws(allowed(['BTC']), { code: 'VERIFICATION_REQUIRED' });
    assert.throws(allowed([]), { code: 'VERIFICATION_REQUIRED' });
  });
});
