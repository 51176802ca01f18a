import { FIATS } from '../../core/index.ts';
import type { Clock, Decimal, Millis, PriceTick, RateSource } from '../../core/index.ts';
import { fetchJson, field } from './fetch-json.ts';
import { priceText, quotient, readPrice } from './prices.ts';

const DEFAULT_URL = 'https://api.coingecko.com/api/v3';
/** Paid keys have a host and a header of their own. */
const PRO_HOST = 'pro-api.coingecko.com';

/** The coin whose fiat prices yield the prices of the fiat currencies. */
const REFERENCE_COIN = 'bitcoin';

const FIAT_CODES: ReadonlySet<string> = new Set(FIATS.map(({ code }) => code));

/** Settings of {@link CoinGeckoSource}; each has a default. */
export interface CoinGeckoOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** CoinGecko's ids of the coins, by symbol: `{"BTC": "bitcoin"}`. Others have no price. */
  readonly ids?: Readonly<Record<string, string>>;
}

/**
 * Prices of CoinGecko, all from one `/simple/price` request: the coins in US dollars, and bitcoin in every requested
 * fiat currency, from which each fiat's dollar price follows: `BTC/USD ÷ BTC/EUR`. Unlike `/exchange_rates` it contains
 * the time of its prices, and it uses only one call of a small allowance.
 */
export class CoinGeckoSource implements RateSource {
  readonly name = 'coingecko';
  readonly #clock: Clock;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ids: ReadonlyMap<string, string>;

  constructor(clock: Clock, { url = DEFAULT_URL, apiKey, ids = {} }: CoinGeckoOptions = {}) {
    this.#clock = clock;
    this.#url = `${url.replace(/\/+$/, '')}/simple/price`;
    this.#ids = new Map(Object.entries(ids));
    const header = new URL(url).hostname === PRO_HOST ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key';
    this.#headers = apiKey === undefined ? {} : { [header]: apiKey };
  }

  /** @throws TillgateError `NOT_READY` when the service fails or its reply is invalid. */
  async fetch(symbols: readonly string[], signal: AbortSignal): Promise<readonly PriceTick[]> {
    const coins = symbols.filter((symbol) => this.#ids.has(symbol));
    const fiats = symbols.filter((symbol) => FIAT_CODES.has(symbol) && symbol !== 'USD');
    const dollar: PriceTick[] = symbols.includes('USD') ? [{ symbol: 'USD', usd: '1', at: this.#clock.now() }] : [];
    if (coins.length + fiats.length === 0) return dollar;
    const body = await fetchJson({ source: this.name, url: this.#query(coins, fiats), headers: this.#headers, signal });
    return [
      ...dollar,
      ...coins.flatMap((symbol) => coinTick(symbol, field(body, this.#ids.get(symbol) ?? ''))),
      ...fiats.flatMap((symbol) => fiatTick(symbol, field(body, REFERENCE_COIN))),
    ];
  }

  #query(coins: readonly string[], fiats: readonly string[]): URL {
    const ids = coins.map((symbol) => this.#ids.get(symbol));
    const url = new URL(this.#url);
    url.searchParams.set('ids', [...new Set(fiats.length === 0 ? ids : [...ids, REFERENCE_COIN])].join(','));
    url.searchParams.set('vs_currencies', ['USD', ...fiats].join(',').toLowerCase());
    url.searchParams.set('include_last_updated_at', 'true');
    url.searchParams.set('precision', 'full');
    return url;
  }
}

interface DatedPrice {
  readonly usd: Decimal;
  readonly at: Millis;
}

/** A coin's dollar price; `null` when there is none now, or it has no time. */
function readEntry(entry: unknown): DatedPrice | null {
  const usd = readPrice(field(entry, 'usd'));
  const seconds = Number(field(entry, 'last_updated_at') ?? Number.NaN);
  return usd === null || !Number.isFinite(seconds) ? null : { usd, at: Math.trunc(seconds * 1000) };
}

function coinTick(symbol: string, entry: unknown): readonly PriceTick[] {
  const price = readEntry(entry);
  return price === null ? [] : [{ symbol, usd: priceText(price.usd), at: price.at }];
}

function fiatTick(symbol: string, bitcoin: unknown): readonly PriceTick[] {
  const price = readEntry(bitcoin);
  const inFiat = readPrice(field(bitcoin, symbol.toLowerCase()));
  const usd = price === null || inFiat === null ? null : quotient(price.usd, inFiat);
  return price === null || usd === null ? [] : [{ symbol, usd, at: price.at }];
}
