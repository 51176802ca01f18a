import { builtInChain } from '../../core/index.ts';
import { TRX_ASSET } from '../../adapters/chains/tron/trx.ts';
import type { TronDefaults } from '../../adapters/chains/tron/index.ts';
import type { AccountChainDefinition } from '../chain-definition.ts';

/** Tron's main network. It takes TRC-20 tokens; TRX only pays fees. */
export const definition: AccountChainDefinition & TronDefaults = {
  ...builtInChain('TRX'),
  coin: TRX_ASSET,
  price: { ids: { coingecko: 'tron', kraken: 'TRXUSD' }, sandboxUsd: '0.25' },
  mark: { colour: '#b5302b', path: 'M16 25L7 10h18zM16 25V10' },
  addressForm: 'tron',
  accounts: { hot: "m/44'/195'/0'", deposit: "m/44'/195'/1'" },
  confirmations: 20,
  spendableConfirmations: 20,
  finalityBlocks: 30,
  basis: {
    promise: 'A block of 3 s is solid when 19 of the 27 super representatives have built on it, after about a minute.',
    source: 'https://developers.tron.network/reference-link/getnowblock',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 3_000,
  blockSeconds: 3,
  maxLagBlocks: 10,
  explorer: 'https://tronscan.org/#/transaction/{txid}',
  addressExplorer: 'https://tronscan.org/#/address/{address}',
  tokens: {
    'USDT-TRC20': { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 },
    'USDC-TRC20': { address: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', decimals: 6 },
  },
};
