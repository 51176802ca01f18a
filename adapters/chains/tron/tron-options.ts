import type { Asset } from '../../../core/index.ts';

/** An accepted token: its asset, and the one contract whose logs count. */
export interface TronToken {
  readonly asset: Asset;
  /** The address in base58. */
  readonly address: string;
}

/** `main` is verified by its genesis block; `test` accepts the network of the first node. */
export type TronNetwork = 'main' | 'test';

/** One Tron network of an installation. */
export interface TronChainOptions {
  /** Tried in order. They may contain keys and are never printed. */
  readonly apiUrls: readonly string[];
  /**
   * The URLs at which the nodes serve `/walletsolidity/…` on another port, in the same order; `null` for the same URLs.
   */
  readonly solidityUrls?: readonly string[] | null;
  /** Sent as `TRON-PRO-API-KEY`. */
  readonly apiKey?: string | null;
  readonly network: TronNetwork;
  /** The deposit account's extended public key. */
  readonly xpub: string;
  readonly tokens: readonly TronToken[];
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The maximum age of the head in milliseconds; `null`, the default, for any age. */
  readonly maxLagMs?: number | null;
  /** The block at which the first scan begins; `null` for the head. */
  readonly startBlock?: number | null;
  /** Blocks read in one step; 50 by default. */
  readonly maxScanBlocks?: number;
  readonly requestTimeoutMs?: number;
}

/** Options for payments. */
export interface TronPaymentOptions {
  /** The maximum amount that one transaction may burn for energy, in sun. */
  readonly feeLimitSun: bigint;
  /** The milliseconds after its reference block in which a transaction can be mined: at most 24 hours. */
  readonly expirationMs: number;
}
