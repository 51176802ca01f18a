import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AssetCatalogue,
  findFiat,
  formatUnits,
  isTillgateError,
  RateBook,
  rateSymbols,
  BUILT_IN_ASSETS,
} from '../../../core/index.ts';
import type { Asset, Fiat, PriceTick, RateSource } from '../../../core/index.ts';
import { FakeClock, FakeDeadlines, FakeRateSource, MemoryLogger, MemoryMetrics } from '../../support/fakes.ts';

const MINUTE = 60_000;
const ETH = BUILT_IN_ASSETS[0] as Asset;
const USDT = BUILT_IN_ASSETS[1] as Asset;
const USD = findFiat('USD') as Fiat;
const EUR = findFiat('EUR') as Fiat;
const PRICES = { ETH: '2500', USDT: '0.998', EUR: '1.08' };

function bookOf(prices: readonly Readonly<Record<string, string>>[], extra: readonly RateSource[] = []) {
  const clock = new FakeClock();
  const sources = prices.map((table, index) => new FakeRateSource(`s${index}`, table, clock));
  const [deadlines, logger, metrics] = [new FakeDeadlines(), new MemoryLogger(), new MemoryMetrics()];
  const book = new RateBook({
    sources: [...sources, ...extra],
    symbols: ['ETH', 'USDT', 'EUR'],
    clock,
    deadline: deadlines.after,
    logger,
    metrics,
  });
  return { book, clock, sources, deadlines, logger, metrics, first: sources[0] as FakeRateSource };
}

const notReady = (error: unknown): boolean => isTillgateError(error, 'NOT_READY');

/** Lets what was started in the background come to its end. */
const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

describe('a fee in another coin', () => {
  test('is rounded up by less than one unit, because the till pays what is missing', async () => {
    const { book } = bookOf([PRICES]);
    // 2,500 / 0.998 = 2,505.0100200…
    assert.equal(await book.convert(10n ** 18n, ETH, USDT), 2_505_010_021n);
    assert.equal(await book.convert(1n, ETH, USDT), 1n);
    assert.equal(await book.convert(0n, ETH, USDT), 0n);
  });

  test('takes the decimals of both prices', async () => {
    const { book } = bookOf([{ ETH: '2500.5', USDT: '0.5' }]);
    assert.equal(await book.convert(10n ** 18n, ETH, USDT), 5_001_000_000n);
    assert.equal(await book.convert(5_001_000_000n, USDT, ETH), 10n ** 18n);
  });

  test('that comes out even is not rounded', async () => {
    const { book } = bookOf([{ ETH: '2500', USDT: '1' }]);
    assert.equal(await book.convert(10n ** 18n, ETH, USDT), 2_500_000_000n);
    assert.equal(await book.convert(2_500_000_000n, USDT, ETH), 10n ** 18n);
  });

  test('needs no price in its own coin, and both prices otherwise', async () => {
    const { book } = bookOf([{ ETH: '2500' }]);
    assert.equal(await book.convert(7n, USDT, USDT), 7n);
    await assert.rejects(book.convert(7n, ETH, USDT), notReady);
    await assert.rejects(book.convert(7n, USDT, ETH), notReady);
  });
});

describe('a quote', () => {
  test('carries its rate and the sources of both prices', async () => {
    const { book, clock } = bookOf([PRICES, { ...PRICES, ETH: '2510' }]);
    const { units, rate } = await book.quote(ETH, EUR, 100_00n, false);
    assert.equal(formatUnits(units, 18), '0.04311378');
    assert.deepEqual([rate.coin.usd, rate.fiat.usd, rate.fixed, rate.at], ['2505', '1.08', false, clock.now()]);
    assert.deepEqual(rate.coin.sources, [
      { source: 's0', usd: '2500', at: clock.now(), dropped: null },
      { source: 's1', usd: '2510', at: clock.now(), dropped: null },
    ]);
  });

  test('in US dollars needs no fiat price: a dollar is one by definition', async () => {
    const { book, clock } = bookOf([{ ETH: '2500' }]);
    const { rate } = await book.quote(ETH, USD, 100_00n, false);
    assert.deepEqual(rate.fiat, {
      symbol: 'USD',
      usd: '1',
      sources: [{ source: 'definition', usd: '1', at: clock.now(), dropped: null }],
    });
  });

  test('with a fixed price takes a stable coin at exactly 1 USD, other fiats through their own rate', async () => {
    const { book, clock } = bookOf([PRICES]);
    const { units, rate } = await book.quote(USDT, EUR, 10_00n, true);
    assert.equal(units, 10_800_000n);
    assert.equal(rate.fixed, true);
    assert.deepEqual(rate.coin, {
      symbol: 'USDT',
      usd: '1',
      sources: [{ source: 'fixed', usd: '1', at: clock.now(), dropped: null }],
    });
    assert.equal(rate.fiat.usd, '1.08');
  });

  test('without a fixed price takes a stable coin at its market price', async () => {
    const { book } = bookOf([PRICES]);
    const { units, rate } = await book.quote(USDT, USD, 10_00n, false);
    // 10 / 0.998 = 10.02004008…
    assert.deepEqual([units, rate.coin.usd, rate.fixed], [10_020_041n, '0.998', false]);
  });

  test('with a fixed price in US dollars asks nobody', async () => {
    const { book, first } = bookOf([{}]);
    assert.equal((await book.quote(USDT, USD, 10_00n, true)).units, 10_000_000n);
    assert.equal(first.calls, 0);
  });

  test('with a fixed price treats a coin that is not stable as ever', async () => {
    const { book } = bookOf([PRICES]);
    const { units, rate } = await book.quote(ETH, USD, 100_00n, true);
    assert.deepEqual([units, rate.fixed, rate.coin.usd], [40_000_000_000_000_000n, false, '2500']);
  });

  test('without a usable price is refused', async () => {
    const { book, first } = bookOf([{ ETH: '0', EUR: '1.08' }]);
    await assert.rejects(book.quote(ETH, USD, 1n, false), notReady);
    first.prices.set('ETH', '2500');
    await assert.rejects(book.quote(ETH, USD, 1n, false), notReady);
    assert.equal(first.calls, 1, 'a missing price is not asked for again at once');
  });

  test('finds a price that came back after five seconds', async () => {
    const { book, clock, first } = bookOf([{}]);
    await assert.rejects(book.quote(ETH, USD, 1n, false), notReady);
    first.prices.set('ETH', '2500');
    clock.advance(5000);
    await book.quote(ETH, USD, 1n, false);
  });
});

describe('worth in US dollars', () => {
  test('is exact', async () => {
    const { book } = bookOf([{ EUR: '1.0833' }]);
    assert.deepEqual(await book.usdWorth(EUR, 999_999_99n), { digits: 1_083_299_989_167n, scale: 6 });
    assert.deepEqual(await book.usdWorth(USD, 12_50n), { digits: 125n, scale: 1 });
  });

  test('without a price is refused', async () => {
    await assert.rejects(bookOf([{}]).book.usdWorth(EUR, 1n), notReady);
  });
});

describe('prices in memory', () => {
  test('are fetched once for callers that come together', async () => {
    const { book, first } = bookOf([PRICES]);
    await Promise.all([book.quote(ETH, USD, 1n, false), book.quote(USDT, EUR, 1n, false), book.refresh()]);
    assert.equal(first.calls, 1);
  });

  test('make nobody wait: a slow source is asked behind the back of the caller', async () => {
    const { book, clock, first } = bookOf([PRICES]);
    await book.refresh();
    first.hang = true;
    clock.advance(2 * MINUTE);
    await book.quote(ETH, USD, 1n, false);
    assert.equal(first.calls, 2);
    await book.quote(ETH, USD, 1n, false);
    assert.equal(first.calls, 2, 'one round at a time');
  });

  test('are renewed when a minute old, not before', async () => {
    const { book, clock, first } = bookOf([PRICES]);
    await book.refresh();
    clock.advance(MINUTE - 1);
    await book.quote(ETH, USD, 1n, false);
    assert.equal(first.calls, 1);
    first.prices.set('ETH', '2600');
    clock.advance(1);
    assert.equal((await book.quote(ETH, USD, 1n, false)).rate.coin.usd, '2500');
    await settled();
    assert.equal(first.calls, 2);
    assert.equal(book.price('ETH').usd, '2600');
  });

  test('outlive a failing source for ten minutes, and not a millisecond longer', async () => {
    const { book, clock, first } = bookOf([PRICES]);
    await book.refresh();
    first.fail = new Error('down');
    clock.advance(10 * MINUTE);
    assert.equal(book.price('ETH').usd, '2500');
    clock.advance(1);
    assert.throws(() => book.price('ETH'), notReady);
    await assert.rejects(book.quote(ETH, USD, 1n, false), notReady);
  });

  test('do not stay fresh for ever when a source dates them ahead', async () => {
    const { book, clock, first } = bookOf([PRICES]);
    first.at = clock.now() + 1000 * MINUTE;
    await book.refresh();
    assert.equal(book.price('ETH').sources[0]?.at, clock.now());
    clock.advance(10 * MINUTE + 1);
    assert.throws(() => book.price('ETH'), notReady);
  });

  test('of USD are 1 without any source', () => {
    assert.equal(bookOf([]).book.price('USD').usd, '1');
  });
});

describe('one bad source', () => {
  test('that throws, in any way, leaves the others alone and no URL in the log', async () => {
    const secret = 'https://rates.example/?key=hunter2';
    const notAnError = secret as unknown as Error;
    const sources: RateSource[] = [
      { name: 'rejects', fetch: async () => await Promise.reject(new Error(secret)) },
      {
        name: 'throws',
        fetch: () => {
          throw new TypeError(secret);
        },
      },
      { name: 'throws a text', fetch: async () => await Promise.reject(notAnError) },
      { name: 'answers nonsense', fetch: async () => await Promise.resolve(null as unknown as PriceTick[]) },
    ];
    const { book, logger, metrics } = bookOf([PRICES], sources);
    await book.refresh();
    assert.equal(book.price('ETH').usd, '2500');
    assert.equal(logger.lines.length, 4);
    assert.ok(!JSON.stringify(logger.lines).includes('hunter2'));
    assert.equal(metrics.counted('tillgate_rate_fetches_total', { source: 'throws', outcome: 'failed' }), 1);
    assert.equal(metrics.counted('tillgate_rate_fetches_total', { source: 's0', outcome: 'ok' }), 1);
  });

  test('grows old in the metrics while it does not answer, from the beginning too', async () => {
    const { book, clock, metrics, first, sources } = bookOf([PRICES, PRICES]);
    const ages = (): (number | undefined)[] =>
      sources.map(({ name }) => metrics.gauges.get(`tillgate_rate_age_seconds{source="${name}"}`));
    first.fail = new Error('down');
    clock.advance(5_000);
    await book.refresh();
    assert.deepEqual(ages(), [5, 0]);
    clock.advance(MINUTE);
    await book.refresh();
    assert.deepEqual(ages(), [65, 0]);
    first.fail = null;
    await book.refresh();
    assert.deepEqual(ages(), [0, 0]);
  });

  test('that hangs and heeds no signal is left behind at its deadline', async () => {
    const { book, deadlines, sources } = bookOf([PRICES, PRICES]);
    (sources[1] as FakeRateSource).hang = true;
    const done = book.refresh();
    await settled();
    assert.deepEqual(deadlines.asked, [5000, 5000]);
    deadlines.passAll();
    await done;
    assert.equal(book.price('ETH').usd, '2500');
  });

  test('that says zero, text that is none, or what nobody asked for changes no price', async () => {
    const odd: RateSource = {
      name: 'odd',
      fetch: async () => [
        { symbol: 'ETH', usd: '0', at: 0 },
        { symbol: 'USDT', usd: 1 as unknown as string, at: Infinity },
        { symbol: 'DOGE', usd: '1', at: Infinity },
      ],
    };
    const { book } = bookOf([PRICES], [odd]);
    await book.refresh();
    assert.deepEqual([book.price('ETH').usd, book.price('USDT').usd], ['2500', '0.998']);
    assert.throws(() => book.price('DOGE'), notReady);
  });
});

test('what has to be priced: the symbols of enabled assets once each, and every fiat but the dollar', () => {
  const symbols = rateSymbols(new AssetCatalogue([ETH, USDT, BUILT_IN_ASSETS[8] as Asset]));
  assert.deepEqual(symbols.slice(0, 3), ['ETH', 'USDT', 'EUR']);
  assert.equal(symbols.length, 2 + 47);
  assert.ok(!symbols.includes('USD'));
});
