import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { medianPrice } from '../../../core/index.ts';
import type { SourceTick } from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';

const MINUTE = 60_000;

/** Sources named `s0`, `s1`… with these prices, all from now. */
function ticksOf(...prices: readonly string[]): SourceTick[] {
  return prices.map((usd, index) => ({ source: `s${index}`, tick: { symbol: 'ETH', usd, at: START } }));
}

const usdOf = (ticks: readonly SourceTick[]): string => medianPrice('ETH', ticks, START).evidence.usd;
const droppedOf = (ticks: readonly SourceTick[]): (string | null)[] =>
  medianPrice('ETH', ticks, START).evidence.sources.map(({ dropped }) => dropped);

describe('the median', () => {
  const cases: readonly (readonly [prices: readonly string[], usd: string])[] = [
    [['2500'], '2500'],
    [['2500', '2510'], '2505'],
    [['1.0001', '1.0002'], '1.00015'],
    [['2510', '2490', '2500'], '2500'],
    [['2500', '2501', '2502', '2503'], '2501.5'],
    [['2500', '2500.50', '0'], '2500.25'],
    [['1e-8', '0.00000001'], '0.00000001'],
    [['123456789.123456789123456789'], '123456789.123456789123456789'],
  ];
  for (const [prices, usd] of cases)
    test(`of ${prices.join(', ')} is ${usd}, exactly`, () => assert.equal(usdOf(ticksOf(...prices)), usd));

  test('of nothing is nothing', () => {
    assert.deepEqual(medianPrice('ETH', [], START), {
      usd: null,
      evidence: { symbol: 'ETH', usd: '', sources: [] },
      validUntil: Infinity,
    });
  });

  test('lies between the prices that were used, whatever they are', () => {
    const price = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(fc.array(price, { minLength: 1, maxLength: 9 }), (prices) => {
        const { usd, evidence } = medianPrice(
          'ETH',
          ticksOf(...prices.map((value) => (value / 100).toFixed(2))),
          START,
        );
        const used = evidence.sources.filter(({ dropped }) => dropped === null).map((source) => Number(source.usd));
        if (usd === null) {
          assert.equal(used.length, 0);
          return;
        }
        const value = Number(evidence.usd);
        assert.ok(value >= Math.min(...used) && value <= Math.max(...used));
      }),
    );
  });
});

describe('a price is dropped', () => {
  test('when it is more than 5 % from the median; exactly 5 % stays', () => {
    assert.deepEqual(droppedOf(ticksOf('100', '105', '95')), [null, null, null]);
    assert.deepEqual(droppedOf(ticksOf('100', '105.01', '94.99', '100')), [null, 'outlier', 'outlier', null]);
    assert.equal(usdOf(ticksOf('100', '900', '102', '99')), '100');
  });

  test('with its only companion when the two are far apart: neither can be believed', () => {
    const { usd, evidence } = medianPrice('ETH', ticksOf('2500', '3500'), START);
    assert.equal(usd, null);
    assert.deepEqual(
      evidence.sources.map(({ dropped }) => dropped),
      ['outlier', 'outlier'],
    );
  });

  for (const text of ['0', '0.000', '-1', '', 'NaN', 'Infinity', '1,5', '0x10', ' 1', '1e400', '9'.repeat(79)]) {
    test(`when it says ${JSON.stringify(text.slice(0, 12))}, and harms no other`, () => {
      const ticks = ticksOf(text, '2500');
      assert.deepEqual(droppedOf(ticks), ['not-positive', null]);
      assert.equal(usdOf(ticks), '2500');
    });
  }

  test('when it is older than 10 minutes; exactly 10 stays', () => {
    const at = (age: number): SourceTick => ({
      source: `a${age}`,
      tick: { symbol: 'ETH', usd: '2500', at: START - age },
    });
    assert.deepEqual(droppedOf([at(10 * MINUTE), at(10 * MINUTE + 1), at(NaN)]), [null, 'stale', 'stale']);
  });

  test('an old price does not move the median that others are measured by', () => {
    const old: SourceTick = { source: 'old', tick: { symbol: 'ETH', usd: '9000', at: START - 11 * MINUTE } };
    assert.deepEqual(droppedOf([old, ...ticksOf('2500', '2510')]), ['stale', null, null]);
  });

  test('evidence keeps what each source said, shortened where it is no price', () => {
    const { evidence } = medianPrice('ETH', ticksOf('2500.10', 'x'.repeat(500)), START);
    assert.deepEqual(evidence, {
      symbol: 'ETH',
      usd: '2500.1',
      sources: [
        { source: 's0', usd: '2500.1', at: START, dropped: null },
        { source: 's1', usd: 'x'.repeat(80), at: START, dropped: 'not-positive' },
      ],
    });
  });

  test('a median holds until the first of its prices is too old', () => {
    const [first] = ticksOf('2500') as [SourceTick];
    const older: SourceTick = { source: 'older', tick: { ...first.tick, at: START - MINUTE } };
    assert.equal(medianPrice('ETH', [first, older], START).validUntil, START + 9 * MINUTE);
  });
});
