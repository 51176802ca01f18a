import type { Millis } from '../kernel/index.ts';

/** A protection that an account can require: a signature on every request, or a code for every withdrawal. */
export interface Demand {
  readonly on: boolean;
  /** When the protection ends, once it was switched off with a hold; `null` for no end. */
  readonly offAt: Millis | null;
}

/** True while the protection is in force. */
export function isDemanded({ on, offAt }: Demand, now: Millis): boolean {
  return on && (offAt === null || now < offAt);
}

/** When a protection that is in force ends; `null` for never. */
export function endOf(demand: Demand, now: Millis): Millis | null {
  return isDemanded(demand, now) ? demand.offAt : null;
}

/** Switches a protection on at once and cancels a scheduled end. */
export const DEMANDED: Demand = { on: true, offAt: null };

/** Switches a protection off after a hold; an earlier scheduled end is kept. */
export function switchedOff(demand: Demand, now: Millis, holdMs: Millis): Demand {
  if (holdMs === 0 || !isDemanded(demand, now)) return { on: false, offAt: null };
  return { on: true, offAt: Math.min(demand.offAt ?? Infinity, now + holdMs) };
}
