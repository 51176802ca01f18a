import { specifiedChain } from '../../core/index.ts';
import { TRX_ASSET } from '../../adapters/chains/tron/trx.ts';
import type { TronDefaults } from '../../adapters/chains/tron/index.ts';
import type { AccountChainDefinition } from '../chain-definition.ts';

/** Tron's main network. It takes TRC-20 tokens; TRX only pays fees. */
export const definition: AccountChainDefinition & TronDefaults = {
  ...specifiedChain('TRX'),
  coin: TRX_ASSET,
  price: { ids: { coingecko: 'tron', kraken: 'TRXUSD' }, sandboxUsd: '0.25' },
  addressForm: 'tron',
  accounts: { hot: "m/44'/195'/0'", deposit: "m/44'/195'/1'" },
  // Blocks come every 3 s; about 20 later they are solidified.
  confirmations: 20,
  spendableConfirmations: 20,
  finalityBlocks: 30,
  pollIntervalMs: 3_000,
  blockSeconds: 3,
  maxLagBlocks: 10,
  explorer: 'https://tronscan.org/#/transaction/{txid}',
  tokens: {
    'USDT-TRC20': { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 },
    'USDC-TRC20': { address: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', decimals: 6 },
  },
};
