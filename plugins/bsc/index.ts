import { SPECIFIED_ASSETS, definePlugin, present } from '../../core/index.ts';
import { openEvmChain, parseEvmOptions } from '../../adapters/chains/evm/index.ts';
import type { EvmDefaults, EvmPluginOptions } from '../../adapters/chains/evm/index.ts';

/** BNB Smart Chain's main network. It takes BNB; tokens only where the options name them. */
const MAINNET: EvmDefaults = {
  code: 'BSC',
  name: 'BNB Smart Chain',
  coin: present(SPECIFIED_ASSETS.find(({ currency }) => currency === 'BNB'), 'the asset BNB'),
  // Ethereum's coin type too, so accounts 2k and 2k + 1 with k = 1 (decisions, section 10).
  accounts: { hot: "m/44'/60'/2'", deposit: "m/44'/60'/3'" },
  chainId: 56,
  confirmations: 15,
  spendableConfirmations: 15,
  finalityBlocks: 64,
  pollIntervalMs: 1_500,
  tokens: {},
};

/** BNB Smart Chain, or with another `chainId` its test network: BNB, and the tokens that the options name. */
const bsc = definePlugin<EvmPluginOptions>({
  name: 'bsc',
  version: '1.0.0',
  requires: '^1.1.0',
  options: (input) => parseEvmOptions(input, MAINNET),
  async setup(context) {
    const chain = await openEvmChain(MAINNET, context);
    context.addChain(chain);
    context.onClose(() => chain.close());
  },
});

export default bsc;
