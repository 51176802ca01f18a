import { definePlugin } from '../../core/index.ts';
import { openEvmChain, parseEvmOptions } from '../../adapters/chains/evm/index.ts';
import type { EvmPluginOptions } from '../../adapters/chains/evm/index.ts';
import { definition } from './definition.ts';

/** BNB Smart Chain, or with another `chainId` its test network: BNB, and the tokens that the options name. */
const bsc = definePlugin<EvmPluginOptions>({
  name: 'bsc',
  version: '1.0.0',
  requires: '^1.1.0',
  options: (input) => parseEvmOptions(input, definition),
  async setup(context) {
    const chain = await openEvmChain(definition, context);
    context.addChain(chain);
    context.onClose(() => chain.close());
  },
});

export { definition };
export default bsc;
