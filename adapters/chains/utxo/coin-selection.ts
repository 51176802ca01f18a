import type { SpendableCoin } from '../../../core/index.ts';

/** The limits of a coin selection. */
export interface SelectionLimits {
  /** Change below this is not worth an output. */
  readonly dust: bigint;
  readonly maxInputs: number;
}

/** The maximum number of steps in the search for coins that leave no change. */
const SEARCH_STEPS = 20_000;

/**
 * Selects coins that together are worth at least the target. The same coins always give the same selection.
 *
 * It first searches coins that leave no change, which saves an output now and an input later. Otherwise it takes the
 * fewest coins, largest first, with the last one as small as possible, and change that is worth an output. An amount
 * below dust goes to the miner, and is lost to the till, only where no additional coin could raise it.
 *
 * @returns `null` when all coins, or the largest ones allowed, are not worth enough
 */
export function selectCoins(
  coins: readonly SpendableCoin[],
  target: bigint,
  limits: SelectionLimits,
): readonly SpendableCoin[] | null {
  const sorted = [...coins].sort(byUnitsDown);
  const fewest = largestFirst(sorted, target, limits.maxInputs);
  if (fewest === null) return null;
  const most = Math.min(fewest.length + 1, limits.maxInputs);
  return withoutChange(sorted, target, 1n, most) ?? smallerLast(sorted, fewest, target, limits);
}

export function sumOf(coins: readonly { readonly units: bigint }[]): bigint {
  return coins.reduce((sum, { units }) => sum + units, 0n);
}

function byUnitsDown(a: SpendableCoin, b: SpendableCoin): number {
  if (a.units !== b.units) return a.units < b.units ? 1 : -1;
  return a.ref < b.ref ? -1 : 1;
}

function largestFirst(
  sorted: readonly SpendableCoin[],
  target: bigint,
  maxInputs: number,
): readonly SpendableCoin[] | null {
  let sum = 0n;
  for (const [at, { units }] of sorted.slice(0, maxInputs).entries()) {
    sum += units;
    if (sum >= target) return sorted.slice(0, at + 1);
  }
  return null;
}

/**
 * Branch and bound: each coin in turn is included or not, and a branch is abandoned when its sum is too large or can no
 * longer be reached.
 */
function withoutChange(
  sorted: readonly SpendableCoin[],
  target: bigint,
  dust: bigint,
  most: number,
): readonly SpendableCoin[] | null {
  const left = suffixSums(sorted);
  const chosen: SpendableCoin[] = [];
  let steps = SEARCH_STEPS;
  const search = (at: number, sum: bigint): boolean => {
    if (sum >= target) return sum - target < dust;
    if (--steps < 0 || chosen.length >= most || sum + (left[at] ?? 0n) < target) return false;
    const coin = sorted[at] as SpendableCoin;
    if (sum + coin.units - target < dust) {
      chosen.push(coin);
      if (search(at + 1, sum + coin.units)) return true;
      chosen.pop();
    }
    return search(at + 1, sum);
  };
  return search(0, 0n) ? chosen : null;
}

function suffixSums(sorted: readonly SpendableCoin[]): readonly bigint[] {
  const sums: bigint[] = [0n];
  for (const { units } of sorted.toReversed()) sums.push((sums.at(-1) as bigint) + units);
  return sums.reverse();
}

/** Replaces the last of the fewest coins by the smallest one that suffices and leaves change above dust. */
function smallerLast(
  sorted: readonly SpendableCoin[],
  fewest: readonly SpendableCoin[],
  target: bigint,
  { dust, maxInputs }: SelectionLimits,
): readonly SpendableCoin[] {
  const kept = fewest.slice(0, -1);
  const missing = target - sumOf(kept);
  const last = sorted.slice(kept.length).findLast(({ units }) => units >= missing + dust);
  if (last !== undefined) return [...kept, last];
  if (sumOf(fewest) === target) return fewest;
  const lacking = dust - (sumOf(fewest) - target);
  const more =
    fewest.length < maxInputs ? sorted.slice(fewest.length).findLast(({ units }) => units >= lacking) : undefined;
  return more === undefined ? fewest : [...fewest, more];
}
