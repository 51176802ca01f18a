import type { Millis } from '../kernel/time.ts';

/** One source's price as it was used, or why it was not. */
export interface SourcePrice {
  readonly source: string;
  /** US dollars for one unit, a plain decimal. */
  readonly usd: string;
  readonly at: Millis;
  /** `null` when used; else why it was dropped: `stale`, `not-positive`, `outlier`. */
  readonly dropped: string | null;
}

/** One symbol's price and where it came from. `usd` is the median of what was not dropped. */
export interface PriceEvidence {
  readonly symbol: string;
  readonly usd: string;
  readonly sources: readonly SourcePrice[];
}

/** What an order's crypto amount was computed from; stored with the order. */
export interface RateEvidence {
  readonly at: Millis;
  readonly coin: PriceEvidence;
  readonly fiat: PriceEvidence;
  /** True when `fixed_encrypt_price` set the coin to exactly 1 USD. */
  readonly fixed: boolean;
}
