import { isolated, latin } from '../../money.ts';
import { formatUnits, parseUnits } from '../../../../../core/kernel/decimal.ts';

/** Decimals of an amount, and of a price: more than any of the API has. */
const DECIMALS = 24;

export interface Held {
  readonly coin: string;
  readonly total: string;
}

export interface Priced {
  readonly coin: string;
  readonly price: string | null;
}

/** What balances are worth, exactly, and whether a coin without a price is left out. */
export interface Worth {
  readonly amount: string;
  readonly partial: boolean;
}

/** @throws Error for an amount or a price that is no plain decimal */
export function worthOf(wallets: readonly Held[], rates: readonly Priced[]): Worth {
  const prices = new Map(rates.map(({ coin, price }) => [coin, price]));
  let sum = 0n;
  let partial = false;
  for (const { coin, total } of wallets) {
    const units = unitsOf(total);
    const price = prices.get(coin) ?? null;
    if (price !== null) sum += units * unitsOf(price);
    else partial ||= units !== 0n;
  }
  return { amount: formatUnits(sum, 2 * DECIMALS), partial };
}

function unitsOf(text: string): bigint {
  const units = parseUnits(text, DECIMALS);
  if (units === null) throw new Error(`${text} is not a plain decimal.`);
  return units;
}

/** A worth in the language of the reader, rounded to the currency's decimals, without a double between. */
export const roundedMoney = (locale: string, amount: string, currency: string): string =>
  isolated(locale, new Intl.NumberFormat(latin(locale), { style: 'currency', currency }).format(amount as `${number}`));
