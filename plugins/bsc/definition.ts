import { specifiedAsset, specifiedChain } from '../../core/index.ts';
import type { EvmDefaults } from '../../adapters/chains/evm/index.ts';
import type { AccountChainDefinition } from '../chain-definition.ts';

/** BNB Smart Chain's main network. It takes BNB; tokens only where the options name them. */
export const definition: AccountChainDefinition & EvmDefaults = {
  ...specifiedChain('BSC'),
  coin: specifiedAsset('BNB'),
  price: { ids: { coingecko: 'binancecoin', kraken: 'BNBUSD' }, sandboxUsd: '600' },
  addressForm: 'evm',
  // Ethereum's coin type too, so accounts 2k and 2k + 1 with k = 1 (decisions, section 10).
  accounts: { hot: "m/44'/60'/2'", deposit: "m/44'/60'/3'" },
  chainId: 56,
  confirmations: 15,
  spendableConfirmations: 15,
  finalityBlocks: 64,
  pollIntervalMs: 1_500,
  blockSeconds: 0.75,
  maxLagBlocks: 10,
  explorer: 'https://bscscan.com/tx/{txid}',
  tokens: {},
};
