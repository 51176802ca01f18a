import type { PricedPayment } from '../../../core/index.ts';
import { feeOfTerms, readTerms, writeTerms } from './payment-terms.ts';

/** Trials at heads of one moment differ, and by no more than this. */
const MOST_GAS_RATIO = 2n;
/** So do estimates of the gas price. */
const MOST_PRICE_RATIO = 10n;

/**
 * The lowest gas price with the highest gas limit: what is invented makes neither a dear payment nor one that runs out of gas.
 * `null` where the nodes are too far apart.
 */
export function agreeEvmPrice(prices: readonly PricedPayment[]): PricedPayment | null {
  const terms = prices.map((priced) => readTerms(priced.terms));
  const [cheapest] = [...terms].sort((a, b) => (a.price < b.price ? -1 : 1));
  if (cheapest === undefined) return null;
  const gases = terms.map(({ gas }) => gas).sort((a, b) => (a < b ? -1 : 1));
  const [least, most] = [gases[0] ?? 0n, gases.at(-1) ?? 0n];
  if (most > least * MOST_GAS_RATIO || terms.some(({ price }) => price > cheapest.price * MOST_PRICE_RATIO))
    return null;
  const beside = agreeBeside(terms.map((each) => each.beside));
  if (beside === null) return null;
  const agreed = { ...cheapest, gas: most, beside, provisional: terms.some((each) => each.provisional) };
  return { feeUnits: feeOfTerms(agreed), coins: [], terms: writeTerms(agreed) };
}

/** The highest, since it is held ready and not spent by the signature; `null` where it may be invented. */
function agreeBeside(told: readonly bigint[]): bigint | null {
  const [least = 0n, ...rest] = [...told].sort((a, b) => (a < b ? -1 : 1));
  const most = rest.at(-1) ?? least;
  return most > least * MOST_PRICE_RATIO ? null : most;
}
