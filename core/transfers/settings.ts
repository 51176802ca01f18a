import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';

/** Where what the hot wallet need not hold goes. */
export interface ColdStorage {
  readonly address: string;
  /** What may stay in the hot wallet, a plain decimal by currency; others stay altogether. */
  readonly above: ReadonlyMap<CurrencyCode, string>;
}

/** When coins are brought together. */
export interface SweepSettings {
  /** A sweep pays when its fee is at most this share of what it moves, in basis points. */
  readonly maxFeeBps: number;
  readonly cold: ReadonlyMap<ChainCode, ColdStorage>;
}
