import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acceptedTerms, DEFAULT_ORDER_SETTINGS, isTillgateError } from '../../../core/index.ts';

const SETTINGS = { ...DEFAULT_ORDER_SETTINGS, minTimeoutMs: 60_000, maxTimeoutMs: 120_000, maxToleranceBps: 100 };
const terms = (expiresInMs?: number, toleranceBps?: number) => acceptedTerms({ expiresInMs, toleranceBps }, SETTINGS);

describe('what an order asks for itself', () => {
  test('may be the bounds themselves', () => {
    assert.deepEqual(terms(60_000, 0), { timeoutMs: 60_000, toleranceBps: 0 });
    assert.deepEqual(terms(120_000, 100), { timeoutMs: 120_000, toleranceBps: 100 });
  });

  test('is the setting where it asks for nothing, which no bound changes', () => {
    assert.deepEqual(acceptedTerms({}, { ...SETTINGS, timeoutMs: 5, toleranceBps: 300 }), {
      timeoutMs: 5,
      toleranceBps: 300,
    });
  });

  test('fault 167: is refused beyond the bounds, whoever calls', () => {
    for (const ms of [59_999, 120_001, NaN, Infinity, -60_000, 60_000.5])
      assert.throws(
        () => terms(ms),
        (error) => isTillgateError(error, 'INVALID_FIELDS'),
        String(ms),
      );
    for (const bps of [-1, 101, NaN, 0.5])
      assert.throws(
        () => terms(undefined, bps),
        (error) => isTillgateError(error, 'INVALID_FIELDS'),
        String(bps),
      );
  });

  test('fault 167: a note is at most 200 characters of one line', () => {
    acceptedTerms({ remark: 'x'.repeat(200) }, SETTINGS);
    for (const remark of ['x'.repeat(201), 'two\nlines'])
      assert.throws(
        () => acceptedTerms({ remark }, SETTINGS),
        (error) => isTillgateError(error, 'INVALID_FIELDS') && error.details.fields?.[0]?.path === 'remark',
        remark,
      );
  });
});
