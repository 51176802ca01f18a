import { openEvmFixture } from './evm-fixture.ts';
import { describePairs } from './pair-suite.ts';

const PAIRS = [
  { currency: 'ETH-BASE', decimals: 18, native: true, price: '250' },
  { currency: 'USDC-BASE', decimals: 6, native: false, price: '25' },
];

describePairs('Base on anvil, by a preset of the plugin evm, with the first layer’s fee', ['sqlite'], PAIRS, () =>
  openEvmFixture({
    use: 'evm',
    preset: ['base', 'BASE'],
    chainId: 8453,
    coin: 'ETH-BASE',
    tokens: { 'USDC-BASE': ['USDC', 6] },
  }),
);
