import type { FieldError, Millis } from '../kernel/index.ts';
import { DAY_MS, startOfDay, startOfMonth, startOfNextMonth } from '../kernel/index.ts';

/** The window of a quota: a calendar day or month, UTC. */
export const QUOTA_WINDOWS = ['day', 'month'] as const;
export type QuotaWindow = (typeof QUOTA_WINDOWS)[number];

/** The units that an App may use in each window. */
export interface Quota {
  readonly units: number;
  readonly window: QuotaWindow;
}

/** Far above the monthly calls of a whole company. */
const MAX_UNITS = 1_000_000_000_000_000;

/** The window that contains a time: `start` is inclusive, `end` is exclusive. */
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

/** True when a changed quota allows an App more units than before, or has another window. */
export function raisesQuota(former: Quota | null, next: Quota | null): boolean {
  if (former === null) return false;
  return next === null || next.window !== former.window || next.units > former.units;
}
