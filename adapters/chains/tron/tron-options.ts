import type { Asset } from '../../../core/index.ts';

/** A token that is taken: what it is, and the one contract whose logs count. */
export interface TronToken {
  readonly asset: Asset;
  /** In base58. */
  readonly address: string;
}

/** `main` is checked by its genesis block; `test` takes the network that the first node is on. */
export type TronNetwork = 'main' | 'test';

/** One Tron network of an installation. */
export interface TronChainOptions {
  /** Tried in order. They may hold keys and are never printed. */
  readonly apiUrls: readonly string[];
  /** Where each node serves `/walletsolidity/…` when that is another port, in the same order; `null` for the same URLs. */
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
  /** How old the head may be; `null`, the default, for any age. */
  readonly maxLagMs?: number | null;
  /** Where the first scan begins; `null` for the head. */
  readonly startBlock?: number | null;
  /** Blocks in one step; 50. */
  readonly maxScanBlocks?: number;
  readonly requestTimeoutMs?: number;
}

/** How payments are made. */
export interface TronPaymentOptions {
  /** The most that one transaction may burn for energy, in sun. */
  readonly feeLimitSun: bigint;
  /** How long after its reference block a transaction can be mined, in milliseconds: at most 24 hours. */
  readonly expirationMs: number;
}
