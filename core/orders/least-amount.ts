import { formatUnits, isDust, TillgateError } from '../kernel/index.ts';
import type { Asset } from '../kernel/index.ts';

/**
 * Refuses an amount that would be credited as nothing, because its order could never be paid.
 *
 * @throws TillgateError `AMOUNT_OUT_OF_RANGE`
 */
export function requireWorthSpending(asset: Asset, units: bigint): void {
  if (!isDust(asset, units)) return;
  const [due, least] = [units, asset.minDeposit ?? 0n].map((amount) => formatUnits(amount, asset.decimals));
  throw new TillgateError(
    'AMOUNT_OUT_OF_RANGE',
    `The amount would be ${due} ${asset.currency}, which costs more to spend than it is worth: an order in this coin must be at least ${least} ${asset.currency}.`,
  );
}
