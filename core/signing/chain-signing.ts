import type { Asset, ChainCode } from '../kernel/asset.ts';
import type { TransactionBuilder } from '../ports/signer.ts';

/** What a signer in a process of its own has to know of a chain: no node, and nothing that a server says. */
export interface ChainSigning {
  readonly code: ChainCode;
  /** What fees are paid in. */
  readonly coin: Asset;
  /**
   * `account`: deposit addresses are emptied into the hot wallet and pay nobody else. `utxo`: coins are spent where they are.
   */
  readonly model: 'account' | 'utxo';
  /** The hardened accounts of the hot wallet, whose first key alone pays, and of the deposit addresses. */
  readonly accounts: { readonly hot: string; readonly deposit: string };
  /** The tokens that may be paid, by their contract as the builder spells it. */
  readonly tokens: ReadonlyMap<string, Asset>;
  readonly build: TransactionBuilder;
  /** The address of a key below an account's extended public key: that of `…/0/index`. */
  addressOf(extendedPublicKey: string, index: number): string;
  /** An address in the spelling of the builder; `null` for none of the chain. */
  readAddress(text: string): string | null;
}
