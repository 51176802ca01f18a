import type { Clock, Decimal, PriceTick, RateSource } from '../../core/index.ts';
import { fetchJson, field, sourceFailed } from './fetch-json.ts';
import { midpoint, priceText, quotient, readPrice } from './prices.ts';

const DEFAULT_URL = 'https://api.kraken.com';
const UNKNOWN_PAIR = 'EQuery:Unknown asset pair';

/** A market that prices a symbol. */
interface Market {
  readonly symbol: string;
  /** What it is asked for by. */
  readonly pair: string;
  /** The name that the answer may give it: Kraken's oldest assets have a letter before their code. */
  readonly legacy: string;
  /** True when it says how much of the symbol a dollar buys. */
  readonly inverse: boolean;
}

const market = (symbol: string, pair: string, legacy = pair, inverse = false): Market => ({ symbol, pair, legacy, inverse });

/** Kraken's dollar markets of the coins and fiats that the till knows; for other fiats it has none. */
const MARKETS: readonly Market[] = [
  market('BTC', 'XBTUSD', 'XXBTZUSD'),
  market('ETH', 'ETHUSD', 'XETHZUSD'),
  market('LTC', 'LTCUSD', 'XLTCZUSD'),
  market('USDT', 'USDTUSD', 'USDTZUSD'),
  market('USDC', 'USDCUSD'),
  market('DAI', 'DAIUSD'),
  market('TRX', 'TRXUSD'),
  market('BNB', 'BNBUSD'),
  market('SHIB', 'SHIBUSD'),
  market('EUR', 'EURUSD', 'ZEURZUSD'),
  market('GBP', 'GBPUSD', 'ZGBPZUSD'),
  market('AUD', 'AUDUSD', 'ZAUDZUSD'),
  market('CAD', 'USDCAD', 'ZUSDZCAD', true),
  market('JPY', 'USDJPY', 'ZUSDZJPY', true),
  market('CHF', 'USDCHF', 'USDCHF', true),
];

/** Settings of {@link KrakenSource}; each has a default. */
export interface KrakenOptions {
  readonly url?: string;
  /** Further markets, `{"SOL": "SOLUSD"}`; each must be quoted in US dollars. */
  readonly pairs?: Readonly<Record<string, string>>;
}

/**
 * Prices of Kraken's public `Ticker`. A ticker has no time, and its last trade may be old; so the price is the middle of
 * the best bid and ask, which stand at the moment of the request.
 */
export class KrakenSource implements RateSource {
  readonly name = 'kraken';
  readonly #clock: Clock;
  readonly #url: string;
  readonly #markets: ReadonlyMap<string, Market>;
  /** Pairs that Kraken does not list; one of them would spoil every request that names it. */
  readonly #unlisted = new Set<string>();

  constructor(clock: Clock, { url = DEFAULT_URL, pairs = {} }: KrakenOptions = {}) {
    this.#clock = clock;
    this.#url = `${url.replace(/\/+$/, '')}/0/public/Ticker`;
    const added = Object.entries(pairs).map(([symbol, pair]) => market(symbol, pair));
    this.#markets = new Map([...MARKETS, ...added].map((entry) => [entry.symbol, entry]));
  }

  /** @throws TillgateError `NOT_READY` when the service fails or answers nonsense. */
  async fetch(symbols: readonly string[], signal: AbortSignal): Promise<readonly PriceTick[]> {
    const at = this.#clock.now();
    const markets = symbols.flatMap((symbol) => this.#markets.get(symbol) ?? []).filter(({ pair }) => !this.#unlisted.has(pair));
    const result = await this.#tickers(markets, signal);
    const ticks = markets.flatMap((entry) => {
      const usd = readTicker(entry, field(result, entry.pair) ?? field(result, entry.legacy));
      return usd === null ? [] : [{ symbol: entry.symbol, usd, at }];
    });
    return symbols.includes('USD') ? [{ symbol: 'USD', usd: '1', at }, ...ticks] : ticks;
  }

  /** All in one request; when Kraken refuses it for a pair it does not list, one by one, to find that pair out. */
  async #tickers(markets: readonly Market[], signal: AbortSignal): Promise<unknown> {
    if (markets.length === 0) return {};
    const together = await this.#ask(markets, signal);
    if (together !== null) return together;
    const found: Record<string, unknown> = {};
    for (const entry of markets) {
      const result = await this.#ask([entry], signal);
      if (result === null) this.#unlisted.add(entry.pair);
      else Object.assign(found, result);
    }
    return found;
  }

  /** The answer's `result`; `null` when a pair is unknown. Errors that come along with a result are warnings. */
  async #ask(markets: readonly Market[], signal: AbortSignal): Promise<object | null> {
    const url = new URL(this.#url);
    url.searchParams.set('pair', markets.map(({ pair }) => pair).join(','));
    const body = await fetchJson({ source: this.name, url, signal });
    const result = field(body, 'result');
    if (typeof result === 'object' && result !== null) return result;
    const errors = field(body, 'error');
    if (Array.isArray(errors) && errors.includes(UNKNOWN_PAIR)) return null;
    throw sourceFailed(this.name, 'answered with an error instead of prices');
  }
}

/** US dollars for one unit, from the best ask (`a`) and bid (`b`); `null` when the book has no two sides. */
function readTicker({ inverse }: Market, ticker: unknown): string | null {
  const ask = bestOf(field(ticker, 'a'));
  const bid = bestOf(field(ticker, 'b'));
  if (ask === null || bid === null || ask.digits === 0n || bid.digits === 0n) return null;
  const middle = midpoint(ask, bid);
  return inverse ? quotient({ digits: 1n, scale: 0 }, middle) : priceText(middle);
}

function bestOf(side: unknown): Decimal | null {
  return Array.isArray(side) ? readPrice(side[0]) : null;
}
