import type { Asset, ChainAdapter, ChainCode, ChainDetails, PriceIds } from '../core/index.ts';
import type { UtxoNetwork } from '../adapters/chains/utxo/segwit-address.ts';

/** The sources of a symbol's price. */
export interface PriceDefinition {
  readonly ids: PriceIds;
  /** The round price in US dollars that the sandbox uses. */
  readonly sandboxUsd: string;
}

/** Two accounts of the till's seed that no other chain uses: 2k pays, and deposit addresses are derived from 2k + 1. */
export interface ChainAccounts {
  readonly hot: string;
  readonly deposit: string;
}

/** Both, as a plugin names what it signs with. */
export function accountPaths({ hot, deposit }: ChainAccounts): readonly string[] {
  return [hot, deposit];
}

/** The reasons for a chain's depths. */
export interface DepthBasis {
  /** The chain's own guarantee about a block, in one sentence. */
  readonly promise: string;
  /** The source of that guarantee. */
  readonly source: string;
  /** The date in ISO 8601 on which the source was read, since chains change their rules. */
  readonly readOn: string;
}

/** A simple drawing that tells coins apart: white lines on a disc, in a square of 32 units. It is nobody's logo. */
export interface CoinMark {
  /** The colour of the disc, `#rrggbb`. */
  readonly colour: string;
  /** The lines, as the data of an SVG path. */
  readonly path: string;
}

interface ChainFacts {
  readonly code: ChainCode;
  readonly name: string;
  /** The native coin, in which fees are paid. */
  readonly coin: Asset;
  /** The price sources of {@link coin}; those of tokens are in `prices.ts`, because many chains share them. */
  readonly price: PriceDefinition;
  /** The mark of {@link coin}; absent where another chain's coin has the same symbol, or none is known. */
  readonly mark?: CoinMark;
  /** When a deposit is credited, may be spent, and can no longer be reorganised away. */
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  /** The reasons for these three depths; `null` for a chain that the operator describes. */
  readonly basis: DepthBasis | null;
  readonly pollIntervalMs: number;
  /** The average time between blocks on the main network, in seconds. */
  readonly blockSeconds: number;
  /** Blocks that a gateway's upstream may be behind the most advanced one before it is used only as a fallback. */
  readonly maxLagBlocks: number;
  /** The URL of a main network transaction in a block explorer, containing `{txid}`. */
  readonly explorer?: string;
  /** The URL of an address of the main network in a block explorer, containing `{address}`. */
  readonly addressExplorer?: string;
}

/** The details that a built-in plugin gives about its chain; test networks have other explorers and block times. */
export function chainDetails(
  { explorer, addressExplorer, blockSeconds }: Pick<ChainFacts, 'explorer' | 'addressExplorer' | 'blockSeconds'>,
  { nodes }: ChainAdapter,
): ChainDetails {
  return nodes?.mainNetwork === true ? { explorer, addressExplorer, blockSeconds } : {};
}

/** A chain whose networks all have the same accounts and addresses. */
export interface AccountChainDefinition extends ChainFacts {
  /** `0x…` with a checksum, or base58 of the same hash. */
  readonly addressForm: 'evm' | 'tron';
  readonly accounts: ChainAccounts;
}

/** A chain of Bitcoin's family. */
export interface SegwitChainDefinition extends ChainFacts {
  readonly addressForm: 'segwit';
  /** The scheme of payment URIs (BIP-21). */
  readonly scheme: string;
  readonly networks: Readonly<
    Record<
      'main' | 'test' | 'regtest',
      {
        readonly accounts: ChainAccounts;
        readonly addresses: UtxoNetwork;
        /** The version bytes of extended public keys (BIP-32). */
        readonly publicKeyVersion: number;
      }
    >
  >;
}

/** Everything that is specific to one built-in chain, as data; no other list names chains. */
export type ChainDefinition = AccountChainDefinition | SegwitChainDefinition;
