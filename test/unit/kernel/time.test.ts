import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatInstant, formatSignedDate, formatTimestamp, parseSignedDate } from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';

describe('time forms', () => {
  test('the payment API has seconds and no zone, signed requests end in Z, management records have milliseconds', () => {
    assert.equal(formatTimestamp(START + 999), '2026-03-01T12:00:00');
    assert.equal(formatSignedDate(START + 999), '2026-03-01T12:00:00Z');
    assert.equal(formatInstant(START + 7), '2026-03-01T12:00:00.007Z');
  });

  test('a signed date is read back to the second', () => {
    const seconds = fc.integer({ min: Date.UTC(1000, 0, 1) / 1000, max: Date.UTC(9999, 11, 31, 23, 59, 59) / 1000 });
    fc.assert(fc.property(seconds, (at) => assert.equal(parseSignedDate(formatSignedDate(at * 1000)), at * 1000)));
  });

  test('any text of its length is read as a date only when it is one', () => {
    const field = (max: number): fc.Arbitrary<string> => fc.nat({ max }).map((value) => String(value).padStart(2, '0'));
    const text = fc
      .tuple(fc.nat({ max: 9999 }), field(14), field(33), field(26), field(62), field(62))
      .map(
        ([year, month, day, hour, minute, second]) =>
          `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`,
      );
    fc.assert(
      fc.property(text, (date) => {
        const at = parseSignedDate(date);
        if (at !== null) assert.equal(formatSignedDate(at), date);
        else
          assert.ok(
            Number(date.slice(0, 4)) < 100 ||
              Number.isNaN(Date.parse(date)) ||
              formatSignedDate(Date.parse(date)) !== date,
          );
      }),
      { numRuns: 2000 },
    );
  });

  test('leap days exist in leap years only', () => {
    for (const [year, leap] of [
      [2024, true],
      [2000, true],
      [1900, false],
      [2023, false],
      [2100, false],
    ] as const) {
      assert.equal(parseSignedDate(`${year}-02-29T00:00:00Z`) !== null, leap, String(year));
    }
  });

  for (const text of [
    '',
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00.0Z',
    '2026-03-01t12:00:00Z',
    '2026-03-01 12:00:00Z',
    '2026/03/01T12:00:00Z',
    '2026-03-01T12-00-00Z',
    '2026-3-001T12:00:00Z',
    '2026-00-01T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-03-00T12:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:00:60Z',
    '0026-03-01T12:00:00Z',
    '+026-03-01T12:00:00Z',
    '2026-03-01T1a:00:00Z',
    '２026-03-01T12:00:00Z',
    '2026-03-01T12:00:00Zx',
  ]) {
    test(`${JSON.stringify(text)} is no signed date (fault 2)`, () => assert.equal(parseSignedDate(text), null));
  }
});
