import type { Asset, Signer } from '../../../core/index.ts';
import type { UtxoCoin, UtxoNetworkName } from './utxo-coins.ts';

/** Bounds of what a transaction pays for its bytes; in units for 1,000 virtual bytes. */
export interface FeeRateBounds {
  readonly min: bigint;
  readonly max: bigint;
  /** Where the node has seen too little to estimate. */
  readonly fallback: bigint;
  /** What spending a coin costs in the long term; a deposit of less than that for one input is credited as nothing. */
  readonly dust: bigint;
  /** Small coins are put together while the network asks for no more than that. */
  readonly consolidate: bigint;
}

/** From how many units on a deposit takes more confirmations. */
export interface ConfirmationTier {
  readonly above: bigint;
  readonly confirmations: number;
}

/** One UTXO chain of an installation. */
export interface UtxoChainOptions {
  readonly coin: UtxoCoin;
  readonly network: UtxoNetworkName;
  readonly asset: Asset;
  /** Tried in order, with user and password in them; never printed but for their host. */
  readonly rpcUrls: readonly string[];
  /** The deposit account's extended public key. */
  readonly xpub: string;
  /** The key of the account that pays, and what signs; `null` for a watch-only chain. */
  readonly spending: { readonly hotXpub: string; readonly signer: Signer } | null;
  readonly confirmations: number;
  /** Beyond `confirmations`, for large deposits; in rising order. */
  readonly tiers: readonly ConfirmationTier[];
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  readonly feeRates: FeeRateBounds;
  /** Blocks within which an estimate aims. */
  readonly feeTargetBlocks: number;
  /** `null` where the network replaces no waiting transaction. */
  readonly bumpAfterMs: number | null;
  /** How old the head may be; `null`, the default, for any age. */
  readonly maxLagMs?: number | null;
  /** Where the first scan begins; `null` for the head. */
  readonly startBlock?: number | null;
  /** Blocks in one step; 20. */
  readonly maxScanBlocks?: number;
  readonly requestTimeoutMs?: number;
  /** How long a scan of all unspent outputs may take; 10 minutes. */
  readonly scanTimeoutMs?: number;
}
