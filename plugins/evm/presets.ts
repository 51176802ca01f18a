import type { Asset, ChainCode } from '../../core/index.ts';
import type { EvmDefaults } from '../../adapters/chains/evm/index.ts';
import type { AccountChainDefinition, ChainAccounts } from '../chain-definition.ts';

/** Everything that is specific to an EVM chain beside Ethereum and BNB Smart Chain, as data. */
export type EvmChainDefinition = AccountChainDefinition & Omit<EvmDefaults, keyof AccountChainDefinition>;

/** A chain that is supported by name. */
export interface EvmPreset extends EvmChainDefinition {
  readonly explorer: string;
  readonly addressExplorer: string;
  /** A public node for the wallets of payers; the till itself never uses it. */
  readonly publicRpcUrl: string;
}

/** The contracts of a chain's two dollar tokens; both have six decimals on all of these chains. */
interface DollarTokens {
  readonly usdc: string;
  readonly usdt: string;
}

/** Accounts 2k and 2k + 1 of Ethereum's coin type; k is 0 for Ethereum and 1 for BNB Smart Chain. */
export function evmAccounts(k: number): ChainAccounts {
  return { hot: `m/44'/60'/${2 * k}'`, deposit: `m/44'/60'/${2 * k + 1}'` };
}

/**
 * The currency code contains the chain when the coin exists on another chain already: balances are kept by currency,
 * and ETH on Base cannot pay anyone on Ethereum (core/decisions/evm-chains.md).
 */
const coinOf = (chain: ChainCode, symbol: string, currency = symbol): Asset => ({
  chain,
  currency,
  symbol,
  decimals: 18,
  kind: 'native',
  stable: false,
});

const dollars = (chain: ChainCode, { usdc, usdt }: DollarTokens): EvmDefaults['tokens'] => ({
  [`USDC-${chain}`]: { address: usdc, decimals: 6, stable: true },
  [`USDT-${chain}`]: { address: usdt, decimals: 6, stable: true },
});

/** The pages of transactions and addresses in a block explorer of the kind of Etherscan. */
const pagesOf = (site: string) => ({ explorer: `${site}/tx/{txid}`, addressExplorer: `${site}/address/{address}` });

const ETHER = { ids: { coingecko: 'ethereum', kraken: 'ETHUSD' }, sandboxUsd: '2500' };
/** A block that was posted to Ethereum is credited, and one that Ethereum cannot reverse may be spent. */
const ROLLUP_TAGS = { credit: 'safe', spend: 'finalized' } as const;
/** Blocks are final within seconds, so one tag serves for both. */
const FINAL_TAGS = { credit: 'finalized', spend: 'finalized' } as const;

const polygon: EvmPreset = {
  code: 'POLYGON',
  name: 'Polygon',
  coin: coinOf('POLYGON', 'POL'),
  price: { ids: { coingecko: 'polygon-ecosystem-token', kraken: 'POLUSD' }, sandboxUsd: '0.25' },
  mark: { colour: '#6a48c9', path: 'M16 7l8 4.5v9L16 25l-8-4.5v-9zM8 11.5l8 4.5 8-4.5M16 16v9' },
  addressForm: 'evm',
  accounts: evmAccounts(2),
  chainId: 137,
  tags: FINAL_TAGS,
  confirmations: 5,
  spendableConfirmations: 32,
  finalityBlocks: 256,
  basis: {
    promise: 'A block is final when the validators have agreed on a milestone that contains it, within some seconds.',
    source: 'https://github.com/maticnetwork/Polygon-Improvement-Proposals/blob/main/PIPs/PIP-11.md',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 6_000,
  blockSeconds: 2,
  maxLagBlocks: 10,
  tokens: dollars('POLYGON', {
    usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    usdt: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
  }),
  ...pagesOf('https://polygonscan.com'),
  publicRpcUrl: 'https://polygon-rpc.com',
};

const base: EvmPreset = {
  code: 'BASE',
  name: 'Base',
  coin: coinOf('BASE', 'ETH', 'ETH-BASE'),
  price: ETHER,
  addressForm: 'evm',
  accounts: evmAccounts(3),
  chainId: 8453,
  tags: ROLLUP_TAGS,
  layerOneFee: 'op-stack',
  confirmations: 5,
  spendableConfirmations: 450,
  finalityBlocks: 1_800,
  basis: {
    promise:
      'A block is safe when it was posted to Ethereum, some minutes later, and final when that block of Ethereum is: about 20 minutes.',
    source: 'https://docs.base.org/base-chain/network-information/transaction-finality',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 6_000,
  blockSeconds: 2,
  maxLagBlocks: 10,
  tokens: dollars('BASE', {
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    usdt: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
  }),
  ...pagesOf('https://basescan.org'),
  publicRpcUrl: 'https://mainnet.base.org',
};

const arbitrum: EvmPreset = {
  code: 'ARBITRUM',
  name: 'Arbitrum One',
  coin: coinOf('ARBITRUM', 'ETH', 'ETH-ARBITRUM'),
  price: ETHER,
  addressForm: 'evm',
  accounts: evmAccounts(4),
  chainId: 42161,
  tags: ROLLUP_TAGS,
  // The cost of Ethereum is part of the gas of a transaction there, and of its estimate.
  maxGas: 3_000_000,
  confirmations: 20,
  spendableConfirmations: 2_400,
  finalityBlocks: 4_800,
  basis: {
    promise:
      'A block is safe when it was posted to Ethereum, some minutes later, and final when that block of Ethereum is: about 15 to 20 minutes.',
    source: 'https://docs.arbitrum.io/how-arbitrum-works/reference/finality-and-reorgs',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 8_000,
  blockSeconds: 0.25,
  maxLagBlocks: 80,
  tokens: dollars('ARBITRUM', {
    usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    usdt: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
  }),
  ...pagesOf('https://arbiscan.io'),
  publicRpcUrl: 'https://arb1.arbitrum.io/rpc',
};

const optimism: EvmPreset = {
  code: 'OPTIMISM',
  name: 'OP Mainnet',
  coin: coinOf('OPTIMISM', 'ETH', 'ETH-OPTIMISM'),
  price: ETHER,
  addressForm: 'evm',
  accounts: evmAccounts(5),
  chainId: 10,
  tags: ROLLUP_TAGS,
  layerOneFee: 'op-stack',
  confirmations: 5,
  spendableConfirmations: 450,
  finalityBlocks: 1_800,
  basis: {
    promise:
      'A block is safe when it was posted to Ethereum, some minutes later, and final when that block of Ethereum is: about 20 to 30 minutes.',
    source: 'https://github.com/ethereum-optimism/docs/pull/1093',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 6_000,
  blockSeconds: 2,
  maxLagBlocks: 10,
  tokens: dollars('OPTIMISM', {
    usdc: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
    usdt: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
  }),
  ...pagesOf('https://optimistic.etherscan.io'),
  publicRpcUrl: 'https://mainnet.optimism.io',
};

const avalanche: EvmPreset = {
  code: 'AVALANCHE',
  name: 'Avalanche C-Chain',
  coin: coinOf('AVALANCHE', 'AVAX'),
  price: { ids: { coingecko: 'avalanche-2', kraken: 'AVAXUSD' }, sandboxUsd: '25' },
  mark: { colour: '#b53a3a', path: 'M16 8l9 16h-5.5L16 17.5 12.5 24H7z' },
  addressForm: 'evm',
  accounts: evmAccounts(6),
  chainId: 43114,
  tags: FINAL_TAGS,
  confirmations: 3,
  spendableConfirmations: 12,
  finalityBlocks: 64,
  basis: {
    promise: 'An accepted block is final; the validators choose the least time between two blocks.',
    source: 'https://build.avax.network/docs/acps/226-dynamic-minimum-block-times',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 6_000,
  blockSeconds: 1.5,
  maxLagBlocks: 15,
  tokens: dollars('AVALANCHE', {
    usdc: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
    usdt: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
  }),
  ...pagesOf('https://snowtrace.io'),
  publicRpcUrl: 'https://api.avax.network/ext/bc/C/rpc',
};

/** The chains that the plugin `evm` offers by name. */
export const EVM_PRESETS = { polygon, base, arbitrum, optimism, avalanche } as const;
export type EvmPresetName = keyof typeof EVM_PRESETS;

/** The accounts of chains that are described in the settings begin after those of the presets. */
export const FIRST_FREE_ACCOUNT = 7;
