import { findFiat, formatUnits, present, toUnits } from '../../core/index.ts';
import type { Plan } from '../../core/index.ts';

/** A plan's price as a plain decimal. */
export function planPrice({ vsCurrency, vsPrice }: Pick<Plan, 'vsCurrency' | 'vsPrice'>): string {
  const { decimals } = present(findFiat(vsCurrency), `the currency ${vsCurrency}`);
  return formatUnits(present(toUnits(vsPrice, decimals), 'the price of a plan'), decimals);
}
