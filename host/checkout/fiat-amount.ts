import { findFiat, formatUnits } from '../../core/index.ts';
import type { Language } from './languages.ts';

/** Formats a fiat amount, in minor units, in a language. */
export function moneyOf(units: bigint, vsCurrency: string, language: Language): string {
  const decimals = findFiat(vsCurrency)?.decimals ?? 0;
  return language.money(formatUnits(units, decimals), vsCurrency, decimals);
}
