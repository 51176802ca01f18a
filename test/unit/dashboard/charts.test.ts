import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatUnits } from '../../../core/index.ts';
import { MOST_SERIES } from '../../../host/dashboard/app/charts/colours.ts';
import { sumOf } from '../../../host/dashboard/app/charts/decimals.ts';
import { daysOf } from '../../../host/dashboard/app/pages/overview/days.ts';
import { coinsOf, fiatsOf, OTHERS, priceOf } from '../../../host/dashboard/app/pages/overview/sales.ts';

const sale = (day: string, coin: string | null, prices: Readonly<Record<string, string>>) => ({
  day,
  coin,
  orders: 1,
  amount: '1',
  prices: Object.entries(prices).map(([currency, price]) => ({ currency, price })),
});

describe('the figures of charts', () => {
  test('sums of decimals are exact, whatever their size', () => {
    assert.equal(sumOf([]), '0');
    assert.equal(sumOf(['0.1', '0.2']), '0.3');
    assert.equal(
      sumOf(['90071992547409931234567890.5', '0.000000000000000001']),
      '90071992547409931234567890.500000000000000001',
    );
    assert.throws(() => sumOf(['1e5']), /1e5/);
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 200n })), (units) => {
        const sum = units.reduce((all, each) => all + each, 0n);
        assert.equal(sumOf(units.map((each) => formatUnits(each, 18))), formatUnits(sum, 18));
      }),
    );
  });

  test('days are those of UTC, each of them, across a change of the month', () => {
    const days = daysOf({ from: '2026-02-27T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' });
    assert.deepEqual(days, ['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  test('coins are ordered by what they brought in the fiat currency; those beyond the colours are one', () => {
    const sales = [
      sale('2026-05-01', 'BTC', { USD: '5' }),
      sale('2026-05-01', 'ETH', { USD: '20.5', EUR: '1' }),
      sale('2026-05-02', 'BTC', { USD: '20', EUR: '3' }),
      sale('2026-05-02', null, { EUR: '2' }),
    ];
    assert.deepEqual(fiatsOf(sales), ['EUR', 'USD']);
    assert.deepEqual(coinsOf(sales, 'USD'), ['BTC', 'ETH', null]);
    assert.deepEqual(coinsOf(sales, 'EUR'), ['BTC', null, 'ETH']);
    assert.equal(priceOf(sales, 'USD'), '45.5');
    const many = Array.from({ length: 9 }, (_, n) => sale('2026-05-01', `COIN-${n}`, { USD: String(9 - n) }));
    const shown = coinsOf(many, 'USD');
    assert.deepEqual([shown.length, shown[0], shown.at(-1)], [MOST_SERIES, 'COIN-0', OTHERS]);
  });
});
