// @parts: ethereum bsc base
import { chosenParts } from '../support/parts.ts';
import { openEvmFixture } from './evm-fixture.ts';
import { describePairs } from './pair-suite.ts';

const TOKENS = {
  'USDT-ERC20': ['USDT', 6],
  'USDC-ERC20': ['USDC', 6],
  'DAI-ERC20': ['DAI', 18],
  'SHIB-ERC20': ['SHIB', 18],
} as const;

/** The pairs of each chain, on the database that the others leave out. */
const CHAINS = {
  ethereum: () =>
    describePairs(
      'ETH on anvil',
      ['sqlite'],
      [
        { currency: 'ETH', decimals: 18, native: true, price: '250' },
        ...Object.entries(TOKENS).map(([currency, [, decimals]]) => ({
          currency,
          decimals,
          native: false,
          price: '100',
        })),
      ],
      () => openEvmFixture({ use: 'ethereum', chainId: 31_337, coin: 'ETH', tokens: TOKENS }),
    ),
  bsc: () =>
    describePairs('BSC on anvil', ['pg'], [{ currency: 'BNB', decimals: 18, native: true, price: '120' }], () =>
      openEvmFixture({ use: 'bsc', chainId: 56, coin: 'BNB', tokens: {} }),
    ),
  base: () =>
    describePairs(
      'Base on anvil, by a preset of the plugin evm, with the first layer’s fee',
      ['sqlite'],
      [
        { currency: 'ETH-BASE', decimals: 18, native: true, price: '250' },
        { currency: 'USDC-BASE', decimals: 6, native: false, price: '25' },
      ],
      () =>
        openEvmFixture({
          use: 'evm',
          preset: ['base', 'BASE'],
          chainId: 8453,
          coin: 'ETH-BASE',
          tokens: { 'USDC-BASE': ['USDC', 6] },
        }),
    ),
};

for (const chain of chosenParts(CHAINS)) CHAINS[chain]();
