import { DAY_MS, HOUR_MS, invalidField } from '../kernel/index.ts';
import type { AppId, Millis } from '../kernel/index.ts';
import type { UsageGroup, UsageQuery } from './usage-store.ts';

/** A request for an App's usage. */
export interface UsageRequest {
  readonly by: UsageGroup;
  /** By default a day before `to` by hour, and 30 days before it otherwise. */
  readonly from?: Millis;
  /** By default the end of the present hour, whose usage so far is included. */
  readonly to?: Millis;
}

const DEFAULT_RANGE_MS: Readonly<Record<UsageGroup, number>> = {
  hour: DAY_MS,
  day: 30 * DAY_MS,
  method: 30 * DAY_MS,
  route: 30 * DAY_MS,
};
/** The longest range in days, so that a reply has at most some hundred rows; methods and routes are few anyway. */
const MAX_DAYS: Readonly<Record<UsageGroup, number>> = { hour: 31, day: 400, method: 400, route: 400 };
/** The last millisecond of the year 9999. */
const LATEST: Millis = 253_402_300_799_999;

/** Converts a request to a query. @throws TillgateError `INVALID_FIELDS` with `from` for an empty or too long range */
export function usageQuery(appId: AppId, { by, from, to }: UsageRequest, now: Millis): UsageQuery {
  const end = Math.min(to ?? now + HOUR_MS, LATEST);
  const start = from ?? end - DEFAULT_RANGE_MS[by];
  if (start >= end) throw invalidField('from', 'must be before `to`');
  if (end - start > MAX_DAYS[by] * DAY_MS)
    throw invalidField('from', `must be at most ${MAX_DAYS[by]} days before \`to\``);
  return { appId, from: start, to: end, by };
}
