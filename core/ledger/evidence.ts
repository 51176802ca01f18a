import type { Millis } from '../kernel/index.ts';

/** The price of one source, and the reason when it was not used. */
export interface SourcePrice {
  readonly source: string;
  /** US dollars for one unit, a plain decimal. */
  readonly usd: string;
  readonly at: Millis;
  /** `null` when it was used, otherwise the reason: `stale`, `not-positive`, `outlier`. */
  readonly dropped: string | null;
}

/** The price of one symbol and its sources. `usd` is the median of the used prices. */
export interface PriceEvidence {
  readonly symbol: string;
  readonly usd: string;
  readonly sources: readonly SourcePrice[];
}

/** The prices from which an order's crypto amount was computed; stored with the order. */
export interface RateEvidence {
  readonly at: Millis;
  readonly coin: PriceEvidence;
  readonly fiat: PriceEvidence;
  /** In basis points: so much more than the two prices say is asked for. Absent where nothing is added. */
  readonly spreadBps?: number;
  /** True when `fixed_encrypt_price` set the coin to exactly 1 USD. */
  readonly fixed: boolean;
}
