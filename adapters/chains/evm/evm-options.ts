import type { Asset, ChainCode } from '../../../core/index.ts';
import type { PayingKeys } from './paying-keys.ts';

/** A token that is taken: what it is, and the one contract whose logs count. */
export interface EvmToken {
  readonly asset: Asset;
  readonly address: string;
}

/** The blocks that a chain marks itself: `safe` cannot vanish alone, `finalized` never. `latest` marks nothing. */
export type SettlementTag = 'latest' | 'safe' | 'finalized';

/** How a chain's own marks decide when a deposit counts, beside its confirmations. */
export interface SettlementTags {
  readonly credit: SettlementTag;
  readonly spend: SettlementTag;
}

export const NO_TAGS: SettlementTags = { credit: 'latest', spend: 'latest' };

/** `op-stack`: charged beside the gas, and told by the contract GasPriceOracle. */
export type LayerOneFee = 'op-stack';

/** How an EVM chain pays. */
export interface EvmPayingOptions {
  /** `null` for a watch-only chain. */
  readonly keys: PayingKeys | null;
  /** In wei; payments wait while the network asks for more. 500 gwei. */
  readonly maxGasPrice?: bigint;
  /** After this long without a block a payment is sent again at a higher price; ten minutes. */
  readonly bumpAfterMs?: number;
  /** The highest gas limit of a payment; a receiver that needs more is not paid. 300,000. */
  readonly maxGas?: bigint;
}

/** One EVM chain of an installation. */
export interface EvmChainOptions {
  readonly code: ChainCode;
  readonly name: string;
  /** EIP-155; a node on another chain is refused. */
  readonly chainId: number;
  /** Tried in order. They may hold keys and are never printed. */
  readonly rpcUrls: readonly string[];
  /** The account's extended public key. */
  readonly xpub: string;
  /** The chain's own coin, in which fees are paid. */
  readonly coin: Asset;
  /** Whether it is taken; else only headers and logs are read. */
  readonly takesCoin: boolean;
  readonly tokens: readonly EvmToken[];
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** How old the head may be; `null`, the default, for any age. */
  readonly maxLagMs?: number | null;
  /** Where the first scan begins; `null` for the head. */
  readonly startBlock?: number | null;
  /** Blocks in one step; 200. */
  readonly maxScanBlocks?: number;
  /** Calls of one scan that read balances of open orders, 500 in each where the node allows it; 250. With more, in turn. */
  readonly maxBalanceCalls?: number;
  /** By which of the chain's own marks deposits count; none. */
  readonly tags?: SettlementTags;
  /** `null`, the default, where gas is all that a transaction costs. */
  readonly layerOneFee?: LayerOneFee | null;
  readonly requestTimeoutMs?: number;
  /** Watch-only without it. */
  readonly paying?: EvmPayingOptions;
}
