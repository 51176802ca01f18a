import { LIGHTNING_ASSET } from '../../core/index.ts';
import type { Asset, CheckoutView } from '../../core/index.ts';

type Coin = Pick<Asset, 'currency' | 'symbol'>;

export const isLightning = ({ currency }: Pick<Asset, 'currency'>): boolean => currency === LIGHTNING_ASSET.currency;

/** The coin of an order, or one without a name before it is chosen. */
export function coinOf({ order, symbol }: CheckoutView): Coin {
  return { currency: order.payment?.currency ?? '', symbol };
}

/** The network of a coin as people say it. */
export const networkName = (coin: Coin, chainName: string): string => (isLightning(coin) ? 'Lightning' : chainName);

/** A coin as people say it, with its network: `USDT · Ethereum`. */
export const coinName = (coin: Coin, chainName: string): string => `${coin.symbol} · ${networkName(coin, chainName)}`;
