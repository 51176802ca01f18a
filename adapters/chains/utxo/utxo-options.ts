import type { Asset, Signer } from '../../../core/index.ts';
import type { UtxoCoin, UtxoNetworkName } from './utxo-coins.ts';

/** Limits of the fee rate, in units per 1,000 virtual bytes. */
export interface FeeRateBounds {
  readonly min: bigint;
  readonly max: bigint;
  /** Used when the node has too little data for an estimate. */
  readonly fallback: bigint;
  /**
   * The long-term fee rate for spending a coin; a deposit that is worth less than one input costs is credited as
   * nothing.
   */
  readonly dust: bigint;
  /** Small coins are consolidated while the network demands at most this rate. */
  readonly consolidate: bigint;
}

/** The amount in units from which a deposit needs more confirmations. */
export interface ConfirmationTier {
  readonly above: bigint;
  readonly confirmations: number;
}

/** One UTXO chain of an installation. */
export interface UtxoChainOptions {
  readonly coin: UtxoCoin;
  readonly network: UtxoNetworkName;
  readonly asset: Asset;
  /** Tried in order. They contain user and password, so only their hosts are ever printed. */
  readonly rpcUrls: readonly string[];
  /** The deposit account's extended public key. */
  readonly xpub: string;
  /** The keys of the paying account and the signer; `null` for a watch-only chain. */
  readonly spending: { readonly hotXpub: string; readonly signer: Signer } | null;
  readonly confirmations: number;
  /** Larger numbers of `confirmations` for large deposits, in rising order. */
  readonly tiers: readonly ConfirmationTier[];
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  readonly feeRates: FeeRateBounds;
  /** The number of blocks within which a transaction should be mined, for fee estimates. */
  readonly feeTargetBlocks: number;
  /** `null` where the network does not replace waiting transactions. */
  readonly bumpAfterMs: number | null;
  /** The maximum age of the head in milliseconds; `null`, the default, for any age. */
  readonly maxLagMs?: number | null;
  /** The block at which the first scan begins; `null` for the head. */
  readonly startBlock?: number | null;
  /** Blocks read in one step; 20 by default. */
  readonly maxScanBlocks?: number;
  readonly requestTimeoutMs?: number;
  /** The time limit for a scan of all unspent outputs, in milliseconds; 10 minutes by default. */
  readonly scanTimeoutMs?: number;
}
