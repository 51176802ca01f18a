import type { CurrencyCode } from '../kernel/index.ts';
import type { HotWallet } from './hot-wallet.ts';
import { isOwnMove } from './transfer.ts';
import type { Transfer } from './transfer.ts';

/** The maximum cost of a sweep that a waiting payment needs, in basis points of the swept amount. */
const NEEDED_BPS = 5_000n;
const BPS = 10_000n;
/** The factor for a token sweep, which also needs a transaction that funds its gas, at about the same cost. */
export const TOKEN_SWEEP = 2n;

/** The whole cost of a sweep, from the fee of one transaction. */
export function sweepCost(isNative: boolean, feeUnits: bigint): bigint {
  return isNative ? feeUnits : feeUnits * TOKEN_SWEEP;
}

/** True when a fee is at most half of an amount. */
export function isWorthNeeded(feeUnits: bigint, units: bigint): boolean {
  return feeUnits * BPS <= units * NEEDED_BPS;
}

/**
 * The hot wallet's shortfall of a token for payments that were tried and are waiting. Uneconomic sweeps are allowed
 * when such a payment needs the tokens, because otherwise it would never be paid.
 */
export class TokenShortfall {
  #missing: bigint;
  /** The remaining fee allowance for uneconomic sweeps, rounded down. */
  #left: bigint;

  /**
   * @param missing - units that are neither in the wallet nor in flight to it
   * @param waiting - the sum of the waiting payments, in units
   */
  constructor(missing: bigint, waiting: bigint) {
    this.#missing = missing;
    this.#left = (waiting * NEEDED_BPS) / BPS;
  }

  /** True while tokens are missing and a sweep at this fee is within the allowance. */
  canAfford(feeUnits: bigint): boolean {
    return this.#missing > 0n && feeUnits <= this.#left;
  }

  /** True while units are neither in the wallet nor in flight to it. */
  get isMissing(): boolean {
    return this.#missing > 0n;
  }

  /** Counts a sweep as planned. */
  addSweep(units: bigint, feeUnits: bigint): void {
    if (!isWorthNeeded(feeUnits, units)) this.#left -= feeUnits;
    this.#missing -= units;
  }
}

/** The free units of a currency in the hot wallet; `null` when the node does not report them. */
export type FreeUnits = (currency: CurrencyCode) => Promise<bigint | null>;

/**
 * The shortfalls of the hot wallet, by currency; a currency whose balance cannot be read has none.
 *
 * @param waiting - transfers that are requested and not signed, including sweeps
 * @param charges - what these will be charged besides their own fees
 */
export async function shortfallsOf(
  hot: HotWallet,
  waiting: readonly Transfer[],
  charges: ReadonlyMap<CurrencyCode, bigint> = new Map(),
  freeUnits: FreeUnits = (currency) => hot.free(currency),
): Promise<ReadonlyMap<CurrencyCode, TokenShortfall>> {
  const [owed, tried, coming] = [
    new Map<CurrencyCode, bigint>(),
    new Map<CurrencyCode, bigint>(),
    new Map<CurrencyCode, bigint>(),
  ];
  const add = (sums: Map<CurrencyCode, bigint>, { currency, units }: Transfer): void =>
    void sums.set(currency, (sums.get(currency) ?? 0n) + units);
  for (const transfer of waiting) {
    add(transfer.sourceIndex === null ? owed : coming, transfer);
    if (!isOwnMove(transfer) && transfer.reason !== null) add(tried, transfer);
  }
  const shortfalls = new Map<CurrencyCode, TokenShortfall>();
  for (const [currency, units] of owed) {
    const free = await freeUnits(currency);
    if (free === null || free >= units) continue;
    const asked = (tried.get(currency) ?? 0n) - (charges.get(currency) ?? 0n);
    // While a payout is in flight the wallet shows less than it has, so no additional sweeps are planned then.
    const missing = hot.pays(currency) ? 0n : asked - free - hot.coming(currency) - (coming.get(currency) ?? 0n);
    shortfalls.set(currency, new TokenShortfall(missing, asked));
  }
  return shortfalls;
}

interface Coins {
  readonly units: bigint;
}

/**
 * True when the shortfall can only be covered by sweeps that cost more than half of the requested amount.
 *
 * @param units - the requested amount
 * @param short - the part of it that is neither in the hot wallet nor in flight to it
 * @param places - the addresses that hold the token, largest balance first
 * @param feeUnits - the cost of one sweep
 */
export function isTooScattered(units: bigint, short: bigint, places: readonly Coins[], feeUnits: bigint): boolean {
  const shortfall = new TokenShortfall(short, units);
  let [left, refused] = [short, false];
  for (const place of places) {
    if (left <= 0n) break;
    if (!isWorthNeeded(feeUnits, place.units) && !shortfall.canAfford(feeUnits)) refused = true;
    shortfall.addSweep(place.units, feeUnits);
    left -= place.units;
  }
  return left <= 0n && refused;
}
