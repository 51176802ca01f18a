import { builtInAsset, builtInChain } from '../../core/index.ts';
import type { EvmDefaults } from '../../adapters/chains/evm/index.ts';
import type { AccountChainDefinition } from '../chain-definition.ts';

/** BNB Smart Chain's main network. It accepts BNB; tokens only where the options name them. */
export const definition: AccountChainDefinition & EvmDefaults = {
  ...builtInChain('BSC'),
  coin: builtInAsset('BNB'),
  price: { ids: { coingecko: 'binancecoin', kraken: 'BNBUSD' }, sandboxUsd: '600' },
  mark: { colour: '#8f6c0c', path: 'M16 7.5l8.5 8.5-8.5 8.5L7.5 16zM16 13l3 3-3 3-3-3z' },
  addressForm: 'evm',
  // It has Ethereum's coin type, so it uses accounts 2k and 2k + 1 with k = 1.
  accounts: { hot: "m/44'/60'/2'", deposit: "m/44'/60'/3'" },
  chainId: 56,
  // One validator makes 16 blocks in a row within 7 s, so a few blocks do not show that others have agreed. The
  // chain's own tag does.
  tags: { credit: 'finalized', spend: 'finalized' },
  confirmations: 15,
  spendableConfirmations: 32,
  // Without votes, two thirds of 21 validators have built on a block after 240 more.
  finalityBlocks: 256,
  basis: {
    promise:
      'A block of 0.45 s is final when two thirds of the validators have voted for it and the next one, two blocks later in most cases; without votes after 240 blocks.',
    source: 'https://github.com/bnb-chain/BEPs/blob/master/BEPs/BEP-619.md',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 1_500,
  blockSeconds: 0.45,
  maxLagBlocks: 45,
  explorer: 'https://bscscan.com/tx/{txid}',
  addressExplorer: 'https://bscscan.com/address/{address}',
  tokens: {},
};
