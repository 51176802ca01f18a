import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { CoinGeckoSource } from '../../../../adapters/rates/index.ts';
import { FIATS, isTillgateError } from '../../../../core/index.ts';
import { BUILT_IN_PRICE_IDS, priceIdsAt } from '../../../../plugins/prices.ts';
import { FakeClock, START } from '../../../support/fakes.ts';
import { startServer } from './local-server.ts';
import type { SeenRequest } from './local-server.ts';

const clock = new FakeClock();
const ids = priceIdsAt('coingecko', BUILT_IN_PRICE_IDS);
const never = new AbortController().signal;
const SECONDS = 1_772_366_000;

/** Coins as CoinGecko writes them: numbers, some with an exponent, some `null`. */
const COINS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bitcoin: { usd: '67187.3358936566', eur: '61896.49', jpy: '10000000', xau: '28.1', vef: '0', krw: 'null' },
  ethereum: { usd: '3480.12345678901234567890' },
  tether: { usd: '1.0' },
  'shiba-inu': { usd: '2.4506e-05' },
  litecoin: { usd: 'null' },
  dai: { usd: '0' },
};

/** Speaks `/simple/price` as published: unknown ids and currencies are left out. */
function simplePrice({ url }: SeenRequest, response: ServerResponse): string | null {
  if (url.pathname !== '/api/v3/simple/price') {
    response.writeHead(404).end('{"error":"Incorrect path. Please check https://www.coingecko.com/api/"}');
    return null;
  }
  const currencies = url.searchParams.get('vs_currencies')?.split(',') ?? [];
  const coins = (url.searchParams.get('ids')?.split(',') ?? []).flatMap((id) => {
    const prices = COINS[id];
    if (prices === undefined) return [];
    const fields = currencies.flatMap((code) => (prices[code] === undefined ? [] : [`"${code}":${prices[code]}`]));
    return [`"${id}":{${[...fields, `"last_updated_at":${SECONDS}`].join(',')}}`];
  });
  return `{${coins.join(',')}}`;
}

describe('CoinGeckoSource', () => {
  test('prices coins digit for digit, at the time that the service names', async (t) => {
    const server = await startServer(t, simplePrice);
    const source = new CoinGeckoSource(clock, { url: `${server.url}/api/v3/`, ids });
    const ticks = await source.fetch(['ETH', 'USDT', 'SHIB', 'BTC'], never);
    assert.deepEqual(ticks, [
      { symbol: 'ETH', usd: '3480.1234567890123456789', at: SECONDS * 1000 },
      { symbol: 'USDT', usd: '1', at: SECONDS * 1000 },
      { symbol: 'SHIB', usd: '0.000024506', at: SECONDS * 1000 },
      { symbol: 'BTC', usd: '67187.3358936566', at: SECONDS * 1000 },
    ]);
    const [request] = server.seen;
    assert.equal(request?.url.searchParams.get('ids'), 'ethereum,tether,shiba-inu,bitcoin');
    assert.equal(request.url.searchParams.get('vs_currencies'), 'usd');
    assert.equal(request.url.searchParams.get('include_last_updated_at'), 'true');
    assert.equal(request.url.searchParams.get('precision'), 'full');
  });

  test('prices fiats through bitcoin in the same request, 18 digits rounded up', async (t) => {
    const server = await startServer(t, simplePrice);
    const ticks = await new CoinGeckoSource(clock, { url: `${server.url}/api/v3`, ids }).fetch(
      ['EUR', 'JPY', 'USDT', 'XAU', 'USD'],
      never,
    );
    assert.deepEqual(ticks, [
      { symbol: 'USD', usd: '1', at: START },
      { symbol: 'USDT', usd: '1', at: SECONDS * 1000 },
      { symbol: 'EUR', usd: '1.08547893254781653', at: SECONDS * 1000 },
      { symbol: 'JPY', usd: '0.00671873358936566', at: SECONDS * 1000 },
      { symbol: 'XAU', usd: '2391.00839479204983', at: SECONDS * 1000 },
    ]);
    assert.equal(server.seen.length, 1);
    assert.equal(server.seen[0]?.url.searchParams.get('ids'), 'tether,bitcoin');
  });

  test('asks for every supported fiat by its code', async (t) => {
    const server = await startServer(t, simplePrice);
    await new CoinGeckoSource(clock, { url: `${server.url}/api/v3`, ids }).fetch(
      FIATS.map(({ code }) => code),
      never,
    );
    const asked = server.seen[0]?.url.searchParams.get('vs_currencies')?.split(',');
    assert.deepEqual(
      asked,
      FIATS.map(({ code }) => code.toLowerCase()),
    );
  });

  test('what has no price now is left out; a price of zero is passed on, so that it is seen and dropped', async (t) => {
    const server = await startServer(t, simplePrice);
    const ticks = await new CoinGeckoSource(clock, { url: `${server.url}/api/v3`, ids }).fetch(
      ['LTC', 'DAI', 'BNB', 'VEF', 'KRW', 'GBP', 'NOPE'],
      never,
    );
    assert.deepEqual(ticks, [{ symbol: 'DAI', usd: '0', at: SECONDS * 1000 }]);
  });

  test('a price without a time is of no known age, and is left out', async (t) => {
    const server = await startServer(
      t,
      () => '{"bitcoin":{"usd":60000,"eur":50000},"ethereum":{"usd":2000,"last_updated_at":null}}',
    );
    assert.deepEqual(
      await new CoinGeckoSource(clock, { url: server.url, ids }).fetch(['BTC', 'ETH', 'EUR'], never),
      [],
    );
  });

  test('further coins come by configuration, and nothing is asked when nothing is known', async (t) => {
    const server = await startServer(t, () => `{"solana":{"usd":150.5,"last_updated_at":${SECONDS}}}`);
    const source = new CoinGeckoSource(clock, { url: server.url, ids: { SOL: 'solana' } });
    assert.deepEqual(await source.fetch(['SOL'], never), [{ symbol: 'SOL', usd: '150.5', at: SECONDS * 1000 }]);
    assert.deepEqual(await source.fetch(['USD', 'NOPE'], never), [{ symbol: 'USD', usd: '1', at: START }]);
    assert.equal(server.seen.length, 1);
  });

  test('the key goes in its header', async (t) => {
    const server = await startServer(t, simplePrice);
    await new CoinGeckoSource(clock, { url: `${server.url}/api/v3`, apiKey: 'CG-secret', ids }).fetch(['ETH'], never);
    await new CoinGeckoSource(clock, { url: `${server.url}/api/v3`, ids }).fetch(['ETH'], never);
    assert.deepEqual(
      server.seen.map(({ headers }) => headers['x-cg-demo-api-key']),
      ['CG-secret', undefined],
    );
    assert.doesNotMatch(server.seen[0]?.url.href ?? '', /secret/);
  });
});

describe('a rate source that fails says so without address or key', () => {
  const failures: Readonly<Record<string, (response: ServerResponse) => string | null>> = {
    'too many requests': (response) => {
      response.statusCode = 429;
      return '{"status":{"error_code":429,"error_message":"You\'ve exceeded the Rate Limit."}}';
    },
    'a redirect': (response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      return null;
    },
    'a page instead of JSON': () => '<html>secret</html>',
    'JSON cut off': () => '{"bitcoin":{"usd":1',
    'JSON nested without end': () => '['.repeat(200_000),
    'more than a megabyte': () => `"${'x'.repeat(2 * 1024 * 1024)}"`,
    'a broken connection': (response) => {
      response.destroy();
      return null;
    },
  };

  for (const [name, fail] of Object.entries(failures)) {
    test(name, async (t) => {
      const server = await startServer(t, (_request, response) => fail(response));
      const source = new CoinGeckoSource(clock, { url: `${server.url}/secret-path`, apiKey: 'CG-secret', ids });
      await assert.rejects(source.fetch(['ETH'], never), (error: unknown) => {
        assert.ok(isTillgateError(error, 'NOT_READY'));
        assert.match(error.message, /^The rate source coingecko /);
        assert.doesNotMatch(`${error.message} ${JSON.stringify(error.details)}`, /secret|127\.0/);
        assert.equal(error.cause, undefined);
        return true;
      });
    });
  }

  test('silence ends with the deadline', async (t) => {
    const server = await startServer(t, () => null);
    const source = new CoinGeckoSource(clock, { url: server.url, ids });
    await assert.rejects(source.fetch(['ETH'], AbortSignal.timeout(50)), /did not answer in time/);
  });

  test('answers that are JSON but not an object of coins give no prices', async (t) => {
    const answers = [
      '[]',
      'null',
      '"x"',
      '1',
      '{"bitcoin":[]}',
      '{"__proto__":{"bitcoin":{"usd":1,"last_updated_at":1}}}',
      '{"bitcoin":{"usd":"abc","last_updated_at":1}}',
    ];
    const server = await startServer(t, () => answers.shift() ?? '');
    for (let left = answers.length; left > 0; left--) {
      assert.deepEqual(await new CoinGeckoSource(clock, { url: server.url, ids }).fetch(['BTC', 'EUR'], never), []);
    }
  });
});
