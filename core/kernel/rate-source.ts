import type { Millis } from './time.ts';
import { token } from './token.ts';

/** One source's price of one unit of a symbol (`ETH`, `EUR`) in US dollars. */
export interface PriceTick {
  readonly symbol: string;
  /** A decimal as the source wrote it. */
  readonly usd: string;
  /** The time of the price, according to the source. */
  readonly at: Millis;
}

/** A source of prices. It may fail, but must return by the given deadline. */
export interface RateSource {
  readonly name: string;
  /** Prices of the symbols that the source supports, coins and fiat currencies alike. */
  fetch(symbols: readonly string[], signal: AbortSignal): Promise<readonly PriceTick[]>;
}

export const RATE_SOURCES = token<readonly RateSource[]>('RateSources');
