import type { CurrencyCode } from '../kernel/asset.ts';
import type { HotWallet } from './hot-wallet.ts';
import type { Transfer } from './transfer.ts';

/** When the hot wallet is short for a payment that waits, a sweep may cost this share of what it brings. */
const NEEDED_BPS = 5_000n;
const BPS = 10_000n;
/** A token's sweep costs the transaction that brings its gas as well: about as much again. */
const TOKEN_SWEEP = 2n;

/** What moving coins costs in all, of one transaction's fee. */
export function sweepCost(isNative: boolean, feeUnits: bigint): bigint {
  return isNative ? feeUnits : feeUnits * TOKEN_SWEEP;
}

/** True when a fee is at most half of an amount. */
export function isWorthNeeded(feeUnits: bigint, units: bigint): boolean {
  return feeUnits * BPS <= units * NEEDED_BPS;
}

/**
 * What the hot wallet lacks of a token for payments that were tried and wait. Nothing but the token makes up for it, so that
 * a sweep that is not worth its fee by itself is made when it is worth it to the payments: else they would wait for ever.
 */
export class Lack {
  #missing: bigint;
  /** What such sweeps may cost, rounded down. */
  #left: bigint;

  /**
   * @param missing - what neither is there nor on its way
   * @param waiting - what the payments come to
   */
  constructor(missing: bigint, waiting: bigint) {
    this.#missing = missing;
    this.#left = (waiting * NEEDED_BPS) / BPS;
  }

  /** True while there is something to make up for, at this cost. */
  bears(feeUnits: bigint): boolean {
    return this.#missing > 0n && feeUnits <= this.#left;
  }

  /** Notes coins that are brought. */
  bring(units: bigint, feeUnits: bigint): void {
    if (!isWorthNeeded(feeUnits, units)) this.#left -= feeUnits;
    this.#missing -= units;
  }
}

/**
 * What is lacked, by currency.
 *
 * @param waiting - payments that are asked for and not signed, sweeps among them
 */
export async function lackOf(hot: HotWallet, waiting: readonly Transfer[]): Promise<ReadonlyMap<CurrencyCode, Lack>> {
  const [owed, tried, coming] = [new Map<CurrencyCode, bigint>(), new Map<CurrencyCode, bigint>(), new Map<CurrencyCode, bigint>()];
  const add = (sums: Map<CurrencyCode, bigint>, { currency, units }: Transfer): void => void sums.set(currency, (sums.get(currency) ?? 0n) + units);
  for (const transfer of waiting) {
    add(transfer.sourceIndex === null ? owed : coming, transfer);
    if (transfer.accountId !== null && transfer.reason !== null) add(tried, transfer);
  }
  const lacks = new Map<CurrencyCode, Lack>();
  for (const [currency, units] of owed) {
    const free = await hot.free(currency);
    if (free >= units) continue;
    const asked = tried.get(currency) ?? 0n;
    // While something is under way, less is shown than there is: nothing is spent on what may turn out to be there.
    const missing = hot.pays(currency) ? 0n : asked - free - hot.coming(currency) - (coming.get(currency) ?? 0n);
    lacks.set(currency, new Lack(missing, asked));
  }
  return lacks;
}

/** A place with coins of one currency. */
interface Coins {
  readonly units: bigint;
}

/**
 * True when what is short can be had, but only by sweeps that cost more than half of what is asked for.
 *
 * @param units - what is asked for
 * @param short - what of it neither is in the hot wallet nor on its way there
 * @param places - where the token lies, the largest first
 * @param feeUnits - what one sweep costs
 */
export function isTooScattered(units: bigint, short: bigint, places: readonly Coins[], feeUnits: bigint): boolean {
  const lack = new Lack(short, units);
  let [left, refused] = [short, false];
  for (const place of places) {
    if (left <= 0n) break;
    if (!isWorthNeeded(feeUnits, place.units) && !lack.bears(feeUnits)) refused = true;
    lack.bring(place.units, feeUnits);
    left -= place.units;
  }
  return left <= 0n && refused;
}
