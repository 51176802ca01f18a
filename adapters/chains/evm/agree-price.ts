import type { PricedPayment } from '../../../core/index.ts';
import { feeOfTerms, readTerms, writeTerms } from './payment-terms.ts';

/** Gas estimates of nodes at about the same head differ by at most this factor. */
const MOST_GAS_RATIO = 2n;
/** Estimates of the gas price differ by at most this factor. */
const MOST_PRICE_RATIO = 10n;

/**
 * Combines the lowest gas price with the highest gas limit, so that an invented estimate neither makes a payment
 * expensive nor lets it run out of gas. `null` when the nodes are too far apart.
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

/**
 * The highest value, because it is only kept available and not spent by the signature; `null` when a node may have
 * invented it.
 */
function agreeBeside(told: readonly bigint[]): bigint | null {
  const [least = 0n, ...rest] = [...told].sort((a, b) => (a < b ? -1 : 1));
  const most = rest.at(-1) ?? least;
  return most > least * MOST_PRICE_RATIO ? null : most;
}
