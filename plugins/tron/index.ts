import { definePlugin } from '../../core/index.ts';
import { openTronChain, parseTronOptions, tronSigning } from '../../adapters/chains/tron/index.ts';
import type { TronPluginInput, TronPluginOptions } from '../../adapters/chains/tron/index.ts';
import { accountPaths, chainDetails } from '../chain-definition.ts';
import { definition } from './definition.ts';

/** Tron: TRC-20 tokens; TRX for fees. */
export const tron = definePlugin<TronPluginInput, TronPluginOptions>({
  name: 'tron',
  version: '1.0.0',
  requires: '^1.7.0',
  options: (input) => parseTronOptions(input, definition),
  accounts: () => accountPaths(definition.accounts),
  signing: (input) => tronSigning(input, definition),
  async setup(context) {
    const chain = await openTronChain(definition, context);
    context.addChain(chain, chainDetails(definition, chain));
    context.onClose(() => chain.close());
  },
});

export default tron;
