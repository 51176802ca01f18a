import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';

/** The destination for what the hot wallet holds above its ceiling. */
export interface ColdStorage {
  readonly address: string;
  /** The ceiling of the hot wallet by currency, as a plain decimal; currencies without one stay entirely. */
  readonly above: ReadonlyMap<CurrencyCode, string>;
}

/** When deposits are swept to the hot wallet. */
export interface SweepSettings {
  /** A sweep is made when its fee is at most this share of what it moves, in basis points. */
  readonly maxFeeBps: number;
  readonly cold: ReadonlyMap<ChainCode, ColdStorage>;
}
