import type { Asset, CurrencyCode } from './asset.ts';
import { formatUnits, parseUnits } from './decimal.ts';
import { assert } from './guard.ts';

/** An amount of one asset, in whole units of `10^-decimals`. */
export interface Amount {
  readonly asset: Asset;
  readonly units: bigint;
}

/** Parses a plain decimal; `null` when it is invalid or has more decimals than the asset. */
export function parseAmount(text: string, asset: Asset): Amount | null {
  const units = parseUnits(text, asset.decimals);
  return units === null ? null : { asset, units };
}

/** The amount as a plain decimal: no sign, no exponent, no trailing zeros. */
export function formatAmount({ asset, units }: Amount): string {
  return formatUnits(units, asset.decimals);
}

/** Units of one of these assets as text for a person: `0.001 BTC`. */
export function amountInWords(assets: readonly Asset[], currency: CurrencyCode, units: bigint): string {
  return `${formatUnits(units, assets.find((asset) => asset.currency === currency)?.decimals ?? 0)} ${currency}`;
}

/** The sum of two amounts of one asset. */
export function addAmounts(a: Amount, b: Amount): Amount {
  assert(a.asset.currency === b.asset.currency, `adding ${a.asset.currency} to ${b.asset.currency}`);
  return { asset: a.asset, units: a.units + b.units };
}
