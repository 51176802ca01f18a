import type { Millis } from '../kernel/time.ts';

/** A protection that an account demands: a signature on every request, a code at every withdrawal. */
export interface Demand {
  readonly on: boolean;
  /** When it ends, once it was switched off with a hold; `null` for no end. */
  readonly offAt: Millis | null;
}

/** True while the protection holds. */
export function isDemanded({ on, offAt }: Demand, now: Millis): boolean {
  return on && (offAt === null || now < offAt);
}

/** When a protection that still holds ends; `null` for never. */
export function endOf(demand: Demand, now: Millis): Millis | null {
  return isDemanded(demand, now) ? demand.offAt : null;
}

/** Switched on: at once, and whatever was to end it is cancelled. */
export const DEMANDED: Demand = { on: true, offAt: null };

/** Switched off after a hold; one that ends sooner already still does. */
export function switchedOff(demand: Demand, now: Millis, holdMs: Millis): Demand {
  if (holdMs === 0 || !isDemanded(demand, now)) return { on: false, offAt: null };
  return { on: true, offAt: Math.min(demand.offAt ?? Infinity, now + holdMs) };
}
