import { openEvmFixture } from './evm-fixture.ts';
import { describePairs } from './pair-suite.ts';

const PAIRS = [
  { currency: 'POL', decimals: 18, native: true, price: '120' },
  { currency: 'USDC-POLYGON', decimals: 6, native: false, price: '12' },
];

describePairs('Polygon on anvil, by a preset of the plugin evm', ['sqlite'], PAIRS, () =>
  openEvmFixture({
    use: 'evm',
    preset: ['polygon', 'POLYGON'],
    chainId: 137,
    coin: 'POL',
    tokens: { 'USDC-POLYGON': ['USDC', 6] },
  }),
);
