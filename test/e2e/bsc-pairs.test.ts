import { openEvmFixture } from './evm-fixture.ts';
import { describePairs } from './pair-suite.ts';

const PAIRS = [{ currency: 'BNB', decimals: 18, native: true, price: '120' }];

describePairs('BSC on anvil', ['pg'], PAIRS, () =>
  openEvmFixture({ use: 'bsc', chainId: 56, coin: 'BNB', tokens: {} }),
);
