import type { Asset, ChainAdapter, ChainCode, ChainDetails, PriceIds } from '../core/index.ts';
import type { UtxoNetwork } from '../adapters/chains/utxo/segwit-address.ts';

/** How a symbol is priced. */
export interface PriceDefinition {
  readonly ids: PriceIds;
  /** US dollars for one in the sandbox, a round figure. */
  readonly sandboxUsd: string;
}

/**
 * Two accounts of the till's seed that no other chain uses: 2k pays, and the addresses of 2k + 1 are given to payers
 * (decisions, section 10).
 */
export interface ChainAccounts {
  readonly hot: string;
  readonly deposit: string;
}

/** Both, as a plugin names what it signs with. */
export function accountPaths({ hot, deposit }: ChainAccounts): readonly string[] {
  return [hot, deposit];
}

interface ChainFacts {
  readonly code: ChainCode;
  readonly name: string;
  /** The chain's own coin, which fees are paid in. */
  readonly coin: Asset;
  /** How {@link coin} is priced; tokens are in `prices.ts`, for many chains have the same. */
  readonly price: PriceDefinition;
  /** When a deposit is credited, may be spent, and can no longer be reorganised away. */
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The time from one block to the next on the main network, on average. */
  readonly blockSeconds: number;
  /** Blocks that a gateway's upstream may be behind the foremost one before it is used only in need. */
  readonly maxLagBlocks: number;
  /** The page of a transaction of the main network in a block explorer, with `{txid}` in it. */
  readonly explorer?: string;
}

/** What a built-in plugin says of its chain: on networks for tests the explorer shows nothing. */
export function chainDetails({ explorer }: Pick<ChainFacts, 'explorer'>, { nodes }: ChainAdapter): ChainDetails {
  return nodes?.mainNetwork === true ? { explorer } : {};
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
  /** Of payment URIs (BIP-21). */
  readonly scheme: string;
  readonly networks: Readonly<
    Record<
      'main' | 'test' | 'regtest',
      {
        readonly accounts: ChainAccounts;
        readonly addresses: UtxoNetwork;
        /** Of extended public keys (BIP-32). */
        readonly publicKeyVersion: number;
      }
    >
  >;
}

/** Everything that is particular to one built-in chain, as data: no other list knows of it. */
export type ChainDefinition = AccountChainDefinition | SegwitChainDefinition;
