import type { ChainDefinition } from './chain-definition.ts';
import { definition as bitcoin } from './bitcoin/definition.ts';
import { definition as bsc } from './bsc/definition.ts';
import { definition as ethereum } from './ethereum/definition.ts';
import { definition as litecoin } from './litecoin/definition.ts';
import { definition as tron } from './tron/definition.ts';

/** The built-in chains by the names of their plugins. They are data: no engine is loaded with them. */
export const DEFINITIONS = { ethereum, bitcoin, litecoin, bsc, tron } as const satisfies Readonly<
  Record<string, ChainDefinition>
>;

export const CHAIN_DEFINITIONS: readonly ChainDefinition[] = Object.values(DEFINITIONS);
