import type { Clock, Decimal, PriceTick, RateSource } from '../../core/index.ts';
import { fetchJson, field, sourceFailed } from './fetch-json.ts';
import { midpoint, priceText, quotient, readPrice } from './prices.ts';

const DEFAULT_URL = 'https://api.kraken.com';
const UNKNOWN_PAIR = 'EQuery:Unknown asset pair';

/** A market that prices a symbol. */
interface Market {
  readonly symbol: string;
  /** The market's name in requests. */
  readonly pair: string;
  /** True when it says how much of the symbol a dollar buys. */
  readonly inverse: boolean;
}

/** Kraken's dollar markets of fiats; for other fiats it has none. */
const FIAT_PAIRS: Readonly<Record<string, string>> = {
  EUR: 'EURUSD',
  GBP: 'GBPUSD',
  AUD: 'AUDUSD',
  CAD: 'USDCAD',
  JPY: 'USDJPY',
  CHF: 'USDCHF',
};

/** Settings of {@link KrakenSource}; each has a default. */
export interface KrakenOptions {
  readonly url?: string | undefined;
  /** The coins' markets, `{"BTC": "XBTUSD"}`; each must be quoted in US dollars. Others have no price. */
  readonly pairs?: Readonly<Record<string, string>>;
}

/**
 * Prices of Kraken's public `Ticker`. A ticker has no time, and its last trade may be old; so the price is the middle of
 * the best bid and ask, which are current at the time of the request.
 */
export class KrakenSource implements RateSource {
  readonly name = 'kraken';
  readonly #clock: Clock;
  readonly #url: string;
  readonly #markets: ReadonlyMap<string, Market>;
  /** Pairs that Kraken does not list; one of them would make a whole request fail. */
  readonly #unlisted = new Set<string>();

  constructor(clock: Clock, { url = DEFAULT_URL, pairs = {} }: KrakenOptions = {}) {
    this.#clock = clock;
    this.#url = `${url.replace(/\/+$/, '')}/0/public/Ticker`;
    const all = Object.entries({ ...FIAT_PAIRS, ...pairs });
    this.#markets = new Map(all.map(([symbol, pair]) => [symbol, { symbol, pair, inverse: !pair.endsWith('USD') }]));
  }

  /** @throws TillgateError `NOT_READY` when the service fails or its reply is invalid. */
  async fetch(symbols: readonly string[], signal: AbortSignal): Promise<readonly PriceTick[]> {
    const at = this.#clock.now();
    const markets = symbols
      .flatMap((symbol) => this.#markets.get(symbol) ?? [])
      .filter(({ pair }) => !this.#unlisted.has(pair));
    const result = await this.#tickers(markets, signal);
    const ticks = markets.flatMap((entry) => {
      const usd = readTicker(entry, tickerOf(result, entry.pair));
      return usd === null ? [] : [{ symbol: entry.symbol, usd, at }];
    });
    return symbols.includes('USD') ? [{ symbol: 'USD', usd: '1', at }, ...ticks] : ticks;
  }

  /**
   * All pairs in one request; if Kraken refuses it because of an unlisted pair, each pair separately, to find that
   * pair.
   */
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

/** A pair's ticker. In answers Kraken's oldest assets have a letter before their code: X for coins, Z for currencies. */
function tickerOf(result: unknown, pair: string): unknown {
  const base = pair.slice(0, -3);
  const quote = pair.slice(-3);
  const names = [pair, `X${base}Z${quote}`, `${base}Z${quote}`, `Z${base}Z${quote}`];
  return names.map((name) => field(result, name)).find((ticker) => ticker !== undefined);
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
