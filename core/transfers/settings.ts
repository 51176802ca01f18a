import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';

/** The destination for what the hot wallet holds above its ceiling. */
export interface ColdStorage {
  readonly address: string;
  /** The ceiling of the hot wallet by currency, as a plain decimal; currencies without one stay entirely. */
  readonly above: ReadonlyMap<CurrencyCode, string>;
}

/** How many coins an account may have on a UTXO chain before its smallest are put together. */
export const DEFAULT_COINS_ABOVE = 100;

/** When deposits are swept to the hot wallet. */
export interface SweepSettings {
  /** A sweep is made when its fee is at most this share of what it moves, in basis points. */
  readonly maxFeeBps: number;
  /** On UTXO chains: how many coins an account may have before its smallest are put together. */
  readonly coinsAbove?: number;
  readonly cold: ReadonlyMap<ChainCode, ColdStorage>;
  /**
   * How far the ledger account of network fees may fall below zero, as a plain decimal by the chain's own coin; at that limit
   * nothing is started that the till pays for. Without one the limit is the operator's float.
   */
  readonly feeBudget?: ReadonlyMap<CurrencyCode, string>;
}

/** How long payouts wait. */
export interface PayoutSettings {
  /** After its fee cannot be raised any more, a payout that stays unmined so long is replaced by a payment to the till itself. */
  readonly cancelAfterMs: number;
  /** A merchant's transfer that could not be signed for so long fails, and its reserve is given back. */
  readonly giveUpAfterMs: number;
}

/** What signing a payout again takes. */
export type ReplacementSettings = PayoutSettings & Pick<SweepSettings, 'feeBudget'>;

export const DEFAULT_PAYOUT_SETTINGS: PayoutSettings = {
  cancelAfterMs: 3 * 3_600_000,
  giveUpAfterMs: 24 * 3_600_000,
};
