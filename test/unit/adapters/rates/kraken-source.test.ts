import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KrakenSource } from '../../../../adapters/rates/index.ts';
import { isTillgateError } from '../../../../core/index.ts';
import { BUILT_IN_PRICE_IDS, priceIdsAt } from '../../../../plugins/prices.ts';
import { FakeClock, START } from '../../../support/fakes.ts';
import { startServer } from './local-server.ts';
import type { SeenRequest } from './local-server.ts';

const clock = new FakeClock();
const pairs = priceIdsAt('kraken', BUILT_IN_PRICE_IDS);
const never = new AbortController().signal;

interface Book {
  /** The name under which the answer lists it. */
  readonly name: string;
  readonly ask: string;
  readonly bid: string;
}

const BOOKS: Readonly<Record<string, Book>> = {
  XBTUSD: { name: 'XXBTZUSD', ask: '30300.10000', bid: '30300.00000' },
  ETHUSD: { name: 'XETHZUSD', ask: '2000.02', bid: '2000.00' },
  USDTUSD: { name: 'USDTZUSD', ask: '1.00010', bid: '0.99990' },
  USDCUSD: { name: 'USDCUSD', ask: '0.9999', bid: '0.9997' },
  EURUSD: { name: 'ZEURZUSD', ask: '1.08000', bid: '1.07990' },
  USDJPY: { name: 'ZUSDZJPY', ask: '150.010', bid: '149.990' },
  DAIUSD: { name: 'DAIUSD', ask: '0.00000', bid: '0.00000' },
};

/** Speaks `/0/public/Ticker` as published: one pair that it does not list spoils the whole request. */
function ticker({ url }: SeenRequest): string {
  assert.equal(url.pathname, '/0/public/Ticker');
  const pairs = url.searchParams.get('pair')?.split(',') ?? [];
  const books = pairs.map((pair) => BOOKS[pair]);
  if (books.includes(undefined)) return '{"error":["EQuery:Unknown asset pair"]}';
  const result = books.map((book) => [
    book?.name,
    {
      a: [book?.ask, '1', '1.000'],
      b: [book?.bid, '1', '1.000'],
      c: ['29000.0', '0.00067643'],
      v: ['4083.67', '4412.73'],
      t: [34619, 38907],
      o: '30502.80000',
    },
  ]);
  return JSON.stringify({ error: [], result: Object.fromEntries(result) as unknown });
}

describe('KrakenSource', () => {
  test('prices coins and fiats by the middle of their books, whatever the answer calls them', async (t) => {
    const server = await startServer(t, ticker);
    const ticks = await new KrakenSource(clock, { url: server.url, pairs }).fetch(
      ['USD', 'BTC', 'ETH', 'USDT', 'USDC', 'EUR', 'JPY'],
      never,
    );
    assert.deepEqual(ticks, [
      { symbol: 'USD', usd: '1', at: START },
      { symbol: 'BTC', usd: '30300.05', at: START },
      { symbol: 'ETH', usd: '2000.01', at: START },
      { symbol: 'USDT', usd: '1', at: START },
      { symbol: 'USDC', usd: '0.9998', at: START },
      { symbol: 'EUR', usd: '1.07995', at: START },
      { symbol: 'JPY', usd: '0.00666666666666666667', at: START },
    ]);
    assert.equal(server.seen.length, 1);
  });

  test('a pair that Kraken does not list is found out once and then left out', async (t) => {
    const server = await startServer(t, ticker);
    const source = new KrakenSource(clock, { url: server.url, pairs: { ...pairs, NEW: 'NEWUSD' } });
    const expected = [{ symbol: 'ETH', usd: '2000.01', at: START }];
    assert.deepEqual(await source.fetch(['ETH', 'NEW'], never), expected);
    assert.equal(server.seen.length, 3);
    assert.deepEqual(await source.fetch(['ETH', 'NEW'], never), expected);
    assert.equal(server.seen.length, 4);
  });

  test('an error that comes along with a result does not take the result away', async (t) => {
    const server = await startServer(
      t,
      () => '{"error":["EQuery:Unknown asset pair"],"result":{"XETHZUSD":{"a":["3"],"b":["1"]}}}',
    );
    assert.deepEqual(await new KrakenSource(clock, { url: server.url, pairs }).fetch(['ETH', 'BTC'], never), [
      { symbol: 'ETH', usd: '2', at: START },
    ]);
  });

  test('books without two sides have no price', async (t) => {
    const answers = [
      '{}',
      '{"a":["1"]}',
      '{"a":["1"],"b":["0"]}',
      '{"a":[null],"b":["1"]}',
      '{"a":"1","b":"1"}',
      '[]',
      'null',
    ];
    const server = await startServer(t, () => `{"error":[],"result":{"XETHZUSD":${answers.shift() ?? ''}}}`);
    for (let left = answers.length; left > 0; left--) {
      assert.deepEqual(await new KrakenSource(clock, { url: server.url, pairs }).fetch(['ETH'], never), []);
    }
    const zeroes = await startServer(t, ticker);
    assert.deepEqual(await new KrakenSource(clock, { url: zeroes.url, pairs }).fetch(['DAI'], never), []);
  });

  test('asks nothing for symbols that it has no market for', async (t) => {
    const server = await startServer(t, ticker);
    assert.deepEqual(await new KrakenSource(clock, { url: server.url, pairs }).fetch(['THB', 'NOPE'], never), []);
    assert.equal(server.seen.length, 0);
  });

  test('any other error fails the request', async (t) => {
    const answers = [
      '{"error":["EGeneral:Too many requests"]}',
      '{"error":["EService:Unavailable"],"result":null}',
      '{}',
      '[]',
      'null',
    ];
    const server = await startServer(t, () => answers.shift() ?? '');
    for (let left = answers.length; left > 0; left--) {
      await assert.rejects(
        new KrakenSource(clock, { url: server.url, pairs }).fetch(['ETH'], never),
        (error: unknown) => isTillgateError(error, 'NOT_READY'),
      );
    }
  });
});
