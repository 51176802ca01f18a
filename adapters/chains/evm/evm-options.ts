import type { Asset, ChainCode } from '../../../core/index.ts';
import type { PayingKeys } from './paying-keys.ts';

/** An accepted token: its asset, and the one contract whose logs count. */
export interface EvmToken {
  readonly asset: Asset;
  readonly address: string;
}

/** The block tags of a chain: a `safe` block cannot vanish alone, a `finalized` one never. `latest` means no tag. */
export type SettlementTag = 'latest' | 'safe' | 'finalized';

/** The block tags that decide, besides confirmations, when a deposit counts. */
export interface SettlementTags {
  readonly credit: SettlementTag;
  readonly spend: SettlementTag;
}

export const NO_TAGS: SettlementTags = { credit: 'latest', spend: 'latest' };

/** `op-stack`: a fee beside the gas, which the contract GasPriceOracle reports. */
export type LayerOneFee = 'op-stack';

/** Options for payments on an EVM chain. */
export interface EvmPayingOptions {
  /** `null` for a watch-only chain. */
  readonly keys: PayingKeys | null;
  /** In wei; payments wait while the network demands more. 500 gwei by default. */
  readonly maxGasPrice?: bigint;
  /** A payment that is not mined after this time is sent again at a higher price; ten minutes by default. */
  readonly bumpAfterMs?: number;
  /** The highest gas limit of a payment; receivers that need more are not paid. 300,000 by default. */
  readonly maxGas?: bigint;
}

/** One EVM chain of an installation. */
export interface EvmChainOptions {
  readonly code: ChainCode;
  readonly name: string;
  /** The chain id (EIP-155); a node on another chain is refused. */
  readonly chainId: number;
  /** Tried in order. They may hold keys and are never printed. */
  readonly rpcUrls: readonly string[];
  /** The extended public key of the account. */
  readonly xpub: string;
  /** The native coin, in which fees are paid. */
  readonly coin: Asset;
  /** Whether the native coin is accepted; otherwise only headers and logs are read. */
  readonly takesCoin: boolean;
  readonly tokens: readonly EvmToken[];
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The maximum age of the head in milliseconds; `null`, the default, for any age. */
  readonly maxLagMs?: number | null;
  /** The block at which the first scan begins; `null` for the head. */
  readonly startBlock?: number | null;
  /** Blocks read in one step; 200 by default. */
  readonly maxScanBlocks?: number;
  /**
   * Calls of one scan that read balances of open orders, with up to 500 balances each; 250 by default. Further
   * addresses are checked in later scans.
   */
  readonly maxBalanceCalls?: number;
  /** The block tags by which deposits count; none by default. */
  readonly tags?: SettlementTags;
  /** `null`, the default, when a transaction costs nothing but gas. */
  readonly layerOneFee?: LayerOneFee | null;
  readonly requestTimeoutMs?: number;
  /** Watch-only when left out. */
  readonly paying?: EvmPayingOptions;
}
