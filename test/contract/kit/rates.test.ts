import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CoinGeckoSource, KrakenSource, StaticSource } from '../../../adapters/rates/index.ts';
import { describeRateSource } from '../../../adapters/testing/index.ts';
import type { RateWorld } from '../../../adapters/testing/index.ts';
import type { RateSource } from '../../../core/index.ts';
import { BUILT_IN_PRICE_IDS, priceIdsAt } from '../../../plugins/prices.ts';
import { FakeClock } from '../../support/fakes.ts';

const clock = new FakeClock();
const ids = priceIdsAt('coingecko', BUILT_IN_PRICE_IDS);
const pairs = priceIdsAt('kraken', BUILT_IN_PRICE_IDS);

/** A price service on loopback with these answers. */
async function overHttp(
  answer: (query: URLSearchParams) => string,
  make: (url: string) => RateSource,
): Promise<RateWorld> {
  let trouble: 'fails' | 'hangs' | 'answers nonsense' | null = null;
  const server = createServer((request, response) => {
    if (trouble === 'hangs') return;
    const text =
      trouble === 'answers nonsense' ? '<html>' : answer(new URL(request.url ?? '/', 'http://local').searchParams);
    response.writeHead(trouble === 'fails' ? 503 : 200, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return {
    source: make(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    trouble: (kind) => void (trouble = kind),
    close,
  };
}

const PRICES: Readonly<Record<string, string>> = { bitcoin: '67187.3358936566', ethereum: '3480.123456789012345' };
const BOOKS: Readonly<Record<string, readonly [ask: string, bid: string]>> = {
  XBTUSD: ['30300.1', '30300'],
  ETHUSD: ['2000.02', '2000'],
  EURUSD: ['1.08', '1.0799'],
};

/** CoinGecko's `/simple/price`: unknown ids are omitted. */
function simplePrice(query: URLSearchParams): string {
  const coins = (query.get('ids')?.split(',') ?? []).filter((id) => id in PRICES);
  return `{${coins.map((id) => `"${id}":{"usd":${PRICES[id] ?? ''},"last_updated_at":1772366000}`).join(',')}}`;
}

/** Kraken's `/0/public/Ticker`: one unknown pair invalidates the whole answer. */
function ticker(query: URLSearchParams): string {
  const pairs = query.get('pair')?.split(',') ?? [];
  if (pairs.some((pair) => !(pair in BOOKS))) return '{"error":["EQuery:Unknown asset pair"]}';
  return JSON.stringify({
    error: [],
    result: Object.fromEntries(
      pairs.map((pair) => [pair, { a: [BOOKS[pair]?.[0], '1', '1'], b: [BOOKS[pair]?.[1], '1', '1'] }]),
    ),
  });
}

describeRateSource('static', {
  knows: ['ETH', 'EUR', 'USDT'],
  cannotFail: 'its prices stand in the settings',
  open: async () => ({
    source: new StaticSource(clock, { ETH: '2500', EUR: '1.08', 'USDT-ERC20': '1' }),
    close: async () => undefined,
  }),
});
describeRateSource('CoinGecko', {
  knows: ['BTC', 'ETH'],
  open: () => overHttp(simplePrice, (url) => new CoinGeckoSource(clock, { url, ids })),
});
describeRateSource('Kraken', {
  knows: ['BTC', 'ETH', 'EUR'],
  open: () => overHttp(ticker, (url) => new KrakenSource(clock, { url, pairs })),
});
