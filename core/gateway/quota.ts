import type { FieldError } from '../kernel/errors.ts';
import { DAY_MS, startOfDay, startOfMonth, startOfNextMonth } from '../kernel/time.ts';
import type { Millis } from '../kernel/time.ts';

/** What a quota is for: a day or a month of the calendar, UTC. */
export const QUOTA_WINDOWS = ['day', 'month'] as const;
export type QuotaWindow = (typeof QUOTA_WINDOWS)[number];

/** How many units an App may use in each window. */
export interface Quota {
  readonly units: number;
  readonly window: QuotaWindow;
}

/** A counter of the calls of a whole company for a month stays far below. */
const MAX_UNITS = 1_000_000_000_000_000;

/** The window that a time is in: from its start, to before its end. */
export function windowAt(window: QuotaWindow, at: Millis): { readonly start: Millis; readonly end: Millis } {
  if (window === 'month') return { start: startOfMonth(at), end: startOfNextMonth(at) };
  const start = startOfDay(at);
  return { start, end: start + DAY_MS };
}

/** Every invalid field of a quota. */
export function quotaErrors({ units, window }: Quota): FieldError[] {
  const errors: FieldError[] = [];
  if (!Number.isSafeInteger(units) || units < 0 || units > MAX_UNITS)
    errors.push({ path: 'quota.units', message: `must be a whole number from 0 to ${MAX_UNITS}` });
  if (!QUOTA_WINDOWS.includes(window))
    errors.push({ path: 'quota.window', message: `must be one of ${QUOTA_WINDOWS.join(', ')}` });
  return errors;
}

/** True where a changed quota lets an App use more than before, or at another time. */
export function loosensQuota(former: Quota | null, next: Quota | null): boolean {
  if (former === null) return false;
  return next === null || next.window !== former.window || next.units > former.units;
}
