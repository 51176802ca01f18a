import type { Asset } from '../../../core/index.ts';

/** The chain's own coin, as a currency. */
export const TRX = 'TRX';

/** TRX pays the fees; no order is made in it. */
export const TRX_ASSET: Asset = {
  chain: 'TRX',
  currency: TRX,
  symbol: 'TRX',
  decimals: 6,
  kind: 'native',
  stable: false,
};
