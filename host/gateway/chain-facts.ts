import type { ChainCode, MethodFamily } from '../../core/index.ts';
import type { ChainDefinition } from '../../plugins/chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from '../../plugins/definitions.ts';

/** What the gateway has to know of a chain. */
export interface ChainFacts {
  /** `null` for a chain that none of the built-in plugins serves. */
  readonly family: MethodFamily | null;
  /** How many blocks an upstream may be behind the foremost one before it is only asked when the others fail. */
  readonly maxLagBlocks: number;
  /** The same for requests of the newest block. */
  readonly headLagBlocks: number;
  /** How many blocks a reorganisation may replace. */
  readonly finalityBlocks: number;
}

/** By how a chain writes its addresses. TRON's nodes have Ethereum's JSON-RPC beside an HTTP API of their own. */
const FAMILIES: Readonly<Record<ChainDefinition['addressForm'], MethodFamily>> = {
  evm: 'evm',
  tron: 'evm',
  segwit: 'bitcoin',
};
/** Two good nodes may have a new block so long one after the other. */
const HEAD_LAG_SECONDS = 2;
const UNKNOWN: ChainFacts = { family: null, maxLagBlocks: 10, headLagBlocks: 10, finalityBlocks: 100 };
const FACTS: ReadonlyMap<ChainCode, ChainFacts> = new Map(
  KNOWN_CHAIN_DEFINITIONS.map(({ code, addressForm, maxLagBlocks, blockSeconds, finalityBlocks }) => [
    code,
    {
      family: FAMILIES[addressForm],
      maxLagBlocks,
      headLagBlocks: Math.ceil(HEAD_LAG_SECONDS / blockSeconds),
      finalityBlocks,
    },
  ]),
);

export function chainFacts(chain: ChainCode): ChainFacts {
  return FACTS.get(chain) ?? UNKNOWN;
}
