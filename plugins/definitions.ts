import type { ChainDefinition } from './chain-definition.ts';
import { definition as bitcoin } from './bitcoin/definition.ts';
import { definition as bsc } from './bsc/definition.ts';
import { definition as ethereum } from './ethereum/definition.ts';
import { EVM_PRESETS } from './evm/presets.ts';
import { definition as litecoin } from './litecoin/definition.ts';
import { definition as tron } from './tron/definition.ts';

/** The built-in chains by the names of their plugins. They are data, with which no engine is loaded. */
export const DEFINITIONS = { ethereum, bitcoin, litecoin, bsc, tron } as const satisfies Readonly<
  Record<string, ChainDefinition>
>;

export const CHAIN_DEFINITIONS: readonly ChainDefinition[] = Object.values(DEFINITIONS);

/** The presets of the plugin `evm`, whose chains exist only when the settings name them. */
const PRESET_DEFINITIONS: readonly ChainDefinition[] = Object.values(EVM_PRESETS);

/** Every chain that the till supports without further description. */
export const KNOWN_CHAIN_DEFINITIONS: readonly ChainDefinition[] = [...CHAIN_DEFINITIONS, ...PRESET_DEFINITIONS];
