import { MOST_SERIES } from '../../charts/colours.ts';
import { sumOf } from '../../charts/decimals.ts';
import type { OverviewRecord } from '../../records.ts';

type Sale = OverviewRecord['sales'][number];

/** The exact price of some sales in a fiat currency. */
export const priceOf = (sales: readonly Sale[], fiat: string): string =>
  sumOf(sales.flatMap(({ prices }) => prices.filter(({ currency }) => currency === fiat).map(({ price }) => price)));

/** The fiat currencies of prices, ordered by the number of days on which they occur. */
export function fiatsOf(sales: readonly Sale[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { prices } of sales)
    for (const { currency: fiat } of prices) counts.set(fiat, (counts.get(fiat) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).map(([fiat]) => fiat);
}

/** The number of coins with a colour of their own. */
const MOST_COINS = MOST_SERIES - 1;

/** Stands for the coins without a colour of their own. */
export const OTHERS = 'others';

/**
 * The coins of a chart by their sales in the fiat currency, highest first; the last one is {@link OTHERS} where there
 * are more coins than colours.
 */
export function coinsOf(sales: readonly Sale[], fiat: string): readonly (string | null)[] {
  const coins = [...new Set(sales.map(({ coin }) => coin))];
  // Used only for sorting.
  const worth = (coin: string | null): number =>
    Number(
      priceOf(
        sales.filter((sale) => sale.coin === coin),
        fiat,
      ),
    );
  const sorted = coins.sort((a, b) => worth(b) - worth(a) || String(a).localeCompare(String(b)));
  return sorted.length <= MOST_SERIES ? sorted : [...sorted.slice(0, MOST_COINS), OTHERS];
}
