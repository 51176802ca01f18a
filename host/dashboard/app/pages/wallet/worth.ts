import { decimalFrom, product, unitsOf } from '../../decimals.ts';
import type { RateRecord, WalletRecord } from '../../records.ts';

/** Worth is shown with as many digits as prices of shops have. */
const DIGITS = 2;

/** The worth of an amount of a coin; `null` without a price. */
export function worthOf(amount: string, coin: string, rates: readonly RateRecord[]): string | null {
  const price = rates.find((rate) => rate.coin === coin)?.price ?? null;
  return price === null ? null : product(amount, price, DIGITS);
}

/** The worth of all balances that have a price, and the coins that have a balance and no price. */
export function totalWorth(
  wallets: readonly Pick<WalletRecord, 'coin' | 'total'>[],
  rates: readonly RateRecord[],
): { readonly total: string; readonly without: readonly string[] } {
  const each = wallets.map(({ coin, total }) => ({ coin, total, worth: worthOf(total, coin, rates) }));
  const total = decimalFrom(
    each.reduce((sum, { worth }) => sum + unitsOf(worth ?? '0'), 0n),
    DIGITS,
  );
  const without = each.filter((row) => row.worth === null && unitsOf(row.total) !== 0n).map(({ coin }) => coin);
  return { total, without };
}
