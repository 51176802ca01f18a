import { definePlugin } from '../../core/index.ts';
import { evmSigning, openEvmChain, parseEvmOptions } from '../../adapters/chains/evm/index.ts';
import type { EvmPluginInput, EvmPluginOptions } from '../../adapters/chains/evm/index.ts';
import { accountPaths, chainDetails } from '../chain-definition.ts';
import { definition } from './definition.ts';

/** BNB Smart Chain, or with another `chainId` its test network: BNB, and the tokens in the options. */
export const bsc = definePlugin<EvmPluginInput, EvmPluginOptions>({
  name: 'bsc',
  version: '1.0.0',
  requires: '^1.7.0',
  options: (input) => parseEvmOptions(input, definition),
  accounts: () => accountPaths(definition.accounts),
  signing: (input) => evmSigning(input, definition),
  async setup(context) {
    const chain = await openEvmChain(definition, context);
    context.addChain(chain, chainDetails(definition, chain));
    context.onClose(() => chain.close());
  },
});

export default bsc;
