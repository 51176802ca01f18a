import { openEvmYard } from './evm-yard.ts';
import { describePairs } from './pair-suite.ts';

const token = { native: false, price: '100' } as const;
const TOKENS = { 'USDT-ERC20': ['USDT', 6], 'USDC-ERC20': ['USDC', 6], 'DAI-ERC20': ['DAI', 18], 'SHIB-ERC20': ['SHIB', 18] } as const;

const ON_ETHEREUM = [
  { currency: 'ETH', decimals: 18, native: true, price: '250' },
  ...Object.entries(TOKENS).map(([currency, [, decimals]]) => ({ ...token, currency, decimals })),
];
const ON_BSC = [{ currency: 'BNB', decimals: 18, native: true, price: '120' }];

describePairs('ETH on anvil', ['sqlite'], ON_ETHEREUM, () => openEvmYard({ use: 'ethereum', chainId: 31_337, coin: 'ETH', tokens: TOKENS }));
describePairs('BSC on anvil', ['sqlite', 'pg'], ON_BSC, () => openEvmYard({ use: 'bsc', chainId: 56, coin: 'BNB', tokens: {} }));
