import { definePlugin } from '../../core/index.ts';
import { openUtxoChain, parseUtxoOptions, utxoSigning } from '../../adapters/chains/utxo/index.ts';
import type { UtxoPluginInput, UtxoPluginOptions } from '../../adapters/chains/utxo/index.ts';
import { accountPaths, chainDetails } from '../chain-definition.ts';
import { definition } from './definition.ts';

/** Bitcoin through a node such as Bitcoin Core, which needs neither a wallet nor an index. */
export const bitcoin = definePlugin<UtxoPluginInput, UtxoPluginOptions>({
  name: 'bitcoin',
  version: '1.0.0',
  requires: '^1.7.0',
  options: (input) => parseUtxoOptions(input, definition),
  accounts: ({ network }) => accountPaths(definition.networks[network].accounts),
  signing: (input) => utxoSigning(input, definition),
  async setup(context) {
    const chain = await openUtxoChain(definition, context.options, context);
    context.addChain(chain, chainDetails(definition, chain));
    context.onClose(() => chain.close());
  },
});

export default bitcoin;
