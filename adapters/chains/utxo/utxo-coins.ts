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
  /** The wallet's accounts (BIP-84): the account that pays, and the one from which deposit addresses are derived. */
  readonly accounts: { readonly hot: string; readonly deposit: string };
  /** BIP-32's version bytes of a public key in the node's descriptors. */
  readonly publicKeyVersion: number;
}

/** The differences between the coins of Bitcoin's family. */
export interface UtxoCoin {
  readonly code: string;
  readonly name: string;
  readonly coin: Asset;
  /** The scheme of payment URIs (BIP-21). */
  readonly scheme: string;
  readonly networks: Readonly<Record<UtxoNetworkName, UtxoNetworkTerms>>;
  /** The network does not relay outputs below these amounts: of the largest usual form, and of the till's own form. */
  readonly dust: bigint;
  readonly ownDust: bigint;
  /** Prefixes of addresses that a wallet may offer and this till cannot pay, with the reason. */
  readonly refusedPrefixes: Readonly<Record<string, string>>;
}
