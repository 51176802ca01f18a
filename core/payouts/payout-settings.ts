import type { ChainCode, CurrencyCode } from '../kernel/index.ts';

/** The destination of the amount above the hot wallet's ceiling. */
export interface ColdStorage {
  readonly address: string;
  /** The ceiling of the hot wallet by currency, as a plain decimal; a currency without one has none. */
  readonly above: ReadonlyMap<CurrencyCode, string>;
}

/** The most coins of an account on a UTXO chain before its smallest are merged. */
export const DEFAULT_COINS_ABOVE = 100;

/** When deposits are swept to the hot wallet. */
export interface SweepSettings {
  /** The maximum fee of a sweep, in basis points of the swept amount. */
  readonly maxFeeBps: number;
  /** On UTXO chains: the most coins of an account before its smallest are merged. */
  readonly coinsAbove?: number;
  readonly cold: ReadonlyMap<ChainCode, ColdStorage>;
  /**
   * How far the ledger account of network fees may fall below zero, as a plain decimal by native coin; at that limit
   * nothing is started that the till pays for. Without one the limit is the operator's float.
   */
  readonly feeBudget?: ReadonlyMap<CurrencyCode, string>;
}

/** The time limits of payouts. */
export interface PayoutSettings {
  /** Milliseconds after which an unmined payout with the highest fee is replaced by a payment to the till itself. */
  readonly cancelAfterMs: number;
  /** Milliseconds after which a merchant's transfer that could not be signed fails, and its reserve is released. */
  readonly giveUpAfterMs: number;
}

/** The settings for signing a payout again. */
export type ReplacementSettings = PayoutSettings & Pick<SweepSettings, 'feeBudget'>;

export const DEFAULT_PAYOUT_SETTINGS: PayoutSettings = {
  cancelAfterMs: 3 * 3_600_000,
  giveUpAfterMs: 24 * 3_600_000,
};
