import { openEvmFixture } from './evm-fixture.ts';
import { describePairs } from './pair-suite.ts';

const TOKENS = {
  'USDT-ERC20': ['USDT', 6],
  'USDC-ERC20': ['USDC', 6],
  'DAI-ERC20': ['DAI', 18],
  'SHIB-ERC20': ['SHIB', 18],
} as const;
const PAIRS = [
  { currency: 'ETH', decimals: 18, native: true, price: '250' },
  ...Object.entries(TOKENS).map(([currency, [, decimals]]) => ({ currency, decimals, native: false, price: '100' })),
];

describePairs('ETH on anvil', ['sqlite'], PAIRS, () =>
  openEvmFixture({ use: 'ethereum', chainId: 31_337, coin: 'ETH', tokens: TOKENS }),
);
