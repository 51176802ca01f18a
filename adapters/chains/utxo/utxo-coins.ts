import type { Asset } from '../../../core/index.ts';
import type { UtxoNetwork } from './segwit-address.ts';

/** The networks of a coin, by the names that the configuration uses. */
export const UTXO_NETWORKS = ['main', 'test', 'regtest'] as const;
export type UtxoNetworkName = (typeof UTXO_NETWORKS)[number];

/** One network of a coin. */
export interface UtxoNetworkTerms {
  readonly addresses: UtxoNetwork;
  /** Hashes of the first block; several where one name is used by several networks. */
  readonly genesis: readonly string[];
  /** The wallet's accounts (BIP-84): what pays, and what deposits are derived from (decisions, section 10). */
  readonly accounts: { readonly hot: string; readonly deposit: string };
  /** BIP-32's version of a public key, as the node's descriptors want it. */
  readonly publicKeyVersion: number;
}

/** The differences between the coins of Bitcoin's family. */
export interface UtxoCoin {
  readonly code: string;
  readonly name: string;
  readonly coin: Asset;
  /** Of payment URIs (BIP-21). */
  readonly scheme: string;
  readonly networks: Readonly<Record<UtxoNetworkName, UtxoNetworkTerms>>;
  /** Below these the network does not carry an output: of the largest usual form, and of the till's own. */
  readonly dust: bigint;
  readonly ownDust: bigint;
  /** Prefixes of addresses that a wallet may offer and this till cannot pay, with the reason. */
  readonly refusedPrefixes: Readonly<Record<string, string>>;
}
