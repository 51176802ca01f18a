import type { ChainCode, MethodFamily } from '../../core/index.ts';
import type { ChainDefinition } from '../../plugins/chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from '../../plugins/definitions.ts';

/** The gateway's parameters of a chain. */
export interface ChainFacts {
  /** `null` for a chain that none of the built-in plugins serves. */
  readonly family: MethodFamily | null;
  /** An upstream that is more blocks behind the highest one serves only as a fallback. */
  readonly maxLagBlocks: number;
  /** The same for requests that depend on the newest block. */
  readonly headLagBlocks: number;
  /** The most blocks that a reorganisation may replace. */
  readonly finalityBlocks: number;
  /** A node that has announced no block for this time, in milliseconds, may be behind. */
  readonly silenceMs: number;
}

/** The method family by the chain's address form. TRON's nodes offer Ethereum's JSON-RPC beside their own HTTP API. */
const FAMILIES: Readonly<Record<ChainDefinition['addressForm'], MethodFamily>> = {
  evm: 'evm',
  tron: 'evm',
  segwit: 'bitcoin',
};
/** Two healthy nodes may receive a new block this far apart. */
const HEAD_LAG_SECONDS = 2;
const SILENT_BLOCKS = 3;
const MIN_SILENCE_MS = 10_000;
const UNKNOWN: ChainFacts = {
  family: null,
  maxLagBlocks: 10,
  headLagBlocks: 10,
  finalityBlocks: 100,
  silenceMs: 30_000,
};
const FACTS: ReadonlyMap<ChainCode, ChainFacts> = new Map(
  KNOWN_CHAIN_DEFINITIONS.map(({ code, addressForm, maxLagBlocks, blockSeconds, finalityBlocks }) => [
    code,
    {
      family: FAMILIES[addressForm],
      maxLagBlocks,
      headLagBlocks: Math.ceil(HEAD_LAG_SECONDS / blockSeconds),
      finalityBlocks,
      silenceMs: Math.max(MIN_SILENCE_MS, SILENT_BLOCKS * blockSeconds * 1000),
    },
  ]),
);

export function chainFacts(chain: ChainCode): ChainFacts {
  return FACTS.get(chain) ?? UNKNOWN;
}
