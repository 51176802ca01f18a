import { definePlugin } from '../../core/index.ts';
import { evmSigning, openEvmChain, parseEvmOptions } from '../../adapters/chains/evm/index.ts';
import type { EvmPluginInput, EvmPluginOptions } from '../../adapters/chains/evm/index.ts';
import { accountPaths, chainDetails } from '../chain-definition.ts';
import { chainOf } from './chain-options.ts';
import type { ChainInput } from './chain-options.ts';
export type { ChainInput } from './chain-options.ts';
import type { EvmChainDefinition } from './presets.ts';

/** The options of the plugin: a preset or a described chain, and those of every EVM chain. */
export type EvmInput = ChainInput & EvmPluginInput;

/** The parsed options of the plugin, with defaults. */
export interface EvmOptions {
  readonly definition: EvmChainDefinition;
  readonly chain: EvmPluginOptions;
}

/**
 * An EVM chain from a preset (`polygon`, `base`, `arbitrum`, `optimism`, `avalanche`) or described in the settings: its
 * coin and ERC-20 tokens. The settings may name the plugin once for each chain.
 */
export const evm = definePlugin<EvmInput, EvmOptions>({
  name: 'evm',
  version: '1.0.0',
  requires: '^1.8.0',
  options(input) {
    const { definition, rest } = chainOf(input);
    return { definition, chain: parseEvmOptions(rest, definition) };
  },
  accounts: ({ definition }) => accountPaths(definition.accounts),
  signing(input) {
    const { definition, rest } = chainOf(input);
    return evmSigning(rest, definition);
  },
  async setup(context) {
    const { definition, chain: options } = context.options;
    const chain = await openEvmChain(definition, { ...context, options });
    const { coin, price } = definition;
    context.addChain(chain, { ...chainDetails(definition, chain), priceIds: { [coin.symbol]: price.ids } });
    context.onClose(() => chain.close());
  },
});

export default evm;
