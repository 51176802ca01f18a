import { readFileSync } from 'node:fs';

/** One block of a regression test chain. */
export interface FixtureBlock {
  readonly height: number;
  readonly hash: string;
  /** As the network carries it. */
  readonly hex: string;
}

/**
 * Blocks of real nodes' chains. Bitcoin's: the first pays 0.12345678 to deposit address 0; the second, by a transaction
 * without witnesses, 1 to address 0 and 0.5 to address 1; the third is a coinbase to address 1. Litecoin's: with an
 * extension block behind it, 0.5 to deposit address 0.
 */
export interface UtxoFixtures {
  readonly bitcoin: {
    readonly genesis: string;
    readonly blocks: readonly FixtureBlock[];
    readonly payments: { readonly first: string; readonly second: string };
  };
  readonly litecoin: {
    readonly blocks: readonly FixtureBlock[];
    readonly payments: { readonly first: string };
    readonly deposit: string;
  };
}

export const FIXTURES = JSON.parse(
  readFileSync(new URL('./utxo-blocks.json', import.meta.url), 'utf8'),
) as UtxoFixtures;

/** The mnemonic that the addresses of the fixtures are made of. */
export const MNEMONIC = 'test test test test test test test test test test test junk';
