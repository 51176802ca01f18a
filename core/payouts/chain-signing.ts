import type { Asset, ChainCode } from '../kernel/index.ts';
import type { TransactionBuilder } from './signer.ts';

/** What a signer in a process of its own needs for a chain: no node, and nothing from a server. */
export interface ChainSigning {
  readonly code: ChainCode;
  /** The coin in which fees are paid. */
  readonly coin: Asset;
  /** `account`: deposit addresses pay only the hot wallet. `utxo`: coins are spent where they are. */
  readonly model: 'account' | 'utxo';
  /** The hardened accounts of the hot wallet, of which only the first key pays, and of the deposit addresses. */
  readonly accounts: { readonly hot: string; readonly deposit: string };
  /** The tokens that may be paid, by contract in the builder's spelling. */
  readonly tokens: ReadonlyMap<string, Asset>;
  readonly build: TransactionBuilder;
  /** The address of the key `…/0/index` below an account's extended public key. */
  addressOf(extendedPublicKey: string, index: number): string;
  /** An address in the builder's spelling; `null` when it is not one of the chain. */
  readAddress(text: string): string | null;
}
