import { formatUnits, LIGHTNING_ASSET, parseUnits } from '../../core/index.ts';
import type { Asset } from '../../core/index.ts';
import { isLightning } from './coin-name.ts';
import type { Language } from './languages.ts';

/** An amount as the payer's wallet shows it. */
export interface ShownAmount {
  /** The text to copy: a plain decimal. */
  readonly plain: string;
  /** The text to read: whole satoshi have grouped digits. */
  readonly text: string;
  readonly unit: string;
}

/** A satoshi has 1,000 units over Lightning. */
const SATOSHI_DECIMALS = 3;

/** An amount of a coin; Lightning wallets count in satoshi. */
export function shownAmount(
  coin: Pick<Asset, 'currency' | 'symbol'>,
  decimal: string,
  language: Language,
): ShownAmount {
  if (!isLightning(coin)) return { plain: decimal, text: decimal, unit: coin.symbol };
  const units = parseUnits(decimal, LIGHTNING_ASSET.decimals) ?? 0n;
  const plain = formatUnits(units, SATOSHI_DECIMALS);
  return { plain, text: language.grouped(plain), unit: 'sat' };
}
