import { LIGHTNING_ASSET } from '../../../core/index.ts';
import type { Asset, AssetCatalogue } from '../../../core/index.ts';

/**
 * The payment method of a coin: its code with `-CHAIN`, and `BTC-LN` for Lightning. The code of a token names its chain:
 * `USDT-ERC20-CHAIN`.
 */
export function paymentMethodId({ currency }: Pick<Asset, 'currency'>): string {
  return currency === LIGHTNING_ASSET.currency ? currency : `${currency}-CHAIN`;
}

/** Endings of ids of earlier versions, and of the present ones. */
const ON_CHAIN = /-(?:CHAIN|ONCHAIN|BTCLIKE)$/;
const LIGHTNING = /-(?:LN|LIGHTNINGNETWORK|LIGHTNINGLIKE|OFFCHAIN|LNURL|LNURLPAY)$/;

/**
 * The coin of a payment method. Case does not matter, `_` stands for `-`, and the forms of earlier versions are taken:
 * `BTC`, `BTC_LightningNetwork`. `null` for one that the till does not have now.
 */
export function coinOf(id: string, assets: Pick<AssetCatalogue, 'enabled'>): Asset | null {
  const wanted = id.toUpperCase().replaceAll('_', '-');
  const enabled = assets.enabled();
  if (LIGHTNING.test(wanted)) {
    const isLightning = wanted.replace(LIGHTNING, '') === 'BTC';
    return (isLightning && enabled.find(({ currency }) => currency === LIGHTNING_ASSET.currency)) || null;
  }
  const currency = wanted.replace(ON_CHAIN, '');
  return (
    enabled.find((asset) => asset.currency.toUpperCase() === currency && asset.currency !== LIGHTNING_ASSET.currency) ??
    null
  );
}
