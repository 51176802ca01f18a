import type { Millis } from '../kernel/time.ts';

/** One source's price, and why it was not used if so. */
export interface SourcePrice {
  readonly source: string;
  /** US dollars for one unit, a plain decimal. */
  readonly usd: string;
  readonly at: Millis;
  /** `null` when used, otherwise the reason: `stale`, `not-positive`, `outlier`. */
  readonly dropped: string | null;
}

/** One symbol's price and its sources. `usd` is the median of the prices that were used. */
export interface PriceEvidence {
  readonly symbol: string;
  readonly usd: string;
  readonly sources: readonly SourcePrice[];
}

/** The prices that an order's crypto amount was computed from; stored with the order. */
export interface RateEvidence {
  readonly at: Millis;
  readonly coin: PriceEvidence;
  readonly fiat: PriceEvidence;
  /** True when `fixed_encrypt_price` set the coin to exactly 1 USD. */
  readonly fixed: boolean;
}
