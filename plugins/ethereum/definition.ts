import { builtInAsset, builtInChain } from '../../core/index.ts';
import type { EvmDefaults } from '../../adapters/chains/evm/index.ts';
import type { AccountChainDefinition } from '../chain-definition.ts';

/** Ethereum's main network. It accepts SHIB-ERC20 only where the options name it. */
export const definition: AccountChainDefinition & EvmDefaults = {
  ...builtInChain('ETH'),
  coin: builtInAsset('ETH'),
  price: { ids: { coingecko: 'ethereum', kraken: 'ETHUSD' }, sandboxUsd: '2500' },
  mark: { colour: '#56659b', path: 'M16 6.5l7 9.5-7 9.5-7-9.5zM9 16h14' },
  addressForm: 'evm',
  // Accounts 2k and 2k + 1 with k = 0.
  accounts: { hot: "m/44'/60'/0'", deposit: "m/44'/60'/1'" },
  chainId: 1,
  confirmations: 12,
  spendableConfirmations: 64,
  finalityBlocks: 64,
  basis: {
    promise: 'A block of 12 s is final after two epochs of 32 blocks while two thirds of the validators vote.',
    source: 'https://eips.ethereum.org/EIPS/eip-7782',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 4_000,
  blockSeconds: 12,
  maxLagBlocks: 10,
  explorer: 'https://etherscan.io/tx/{txid}',
  addressExplorer: 'https://etherscan.io/address/{address}',
  tokens: {
    'USDT-ERC20': { address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 },
    'USDC-ERC20': { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
    'DAI-ERC20': { address: '0x6B175474E89094C44Da98b954EedeAC495271d0F', decimals: 18 },
  },
};
