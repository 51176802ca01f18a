import { invalidField } from '../kernel/errors.ts';
import type { AppId } from '../kernel/ids.ts';
import { DAY_MS, HOUR_MS } from '../kernel/time.ts';
import type { Millis } from '../kernel/time.ts';
import type { UsageGroup, UsageQuery } from '../ports/usage-store.ts';

/** What of an App's usage is asked for. */
export interface UsageRequest {
  readonly by: UsageGroup;
  /** A day before `to` by hour, 30 days before it otherwise, where it is left out. */
  readonly from?: Millis;
  /** The present hour with what it has so far where it is left out. */
  readonly to?: Millis;
}

const DEFAULT_RANGE_MS: Readonly<Record<UsageGroup, number>> = {
  hour: DAY_MS,
  day: 30 * DAY_MS,
  method: 30 * DAY_MS,
  route: 30 * DAY_MS,
};
/** So that a reply has some hundred rows at most: methods and routes are few by themselves. */
const MAX_DAYS: Readonly<Record<UsageGroup, number>> = { hour: 31, day: 400, method: 400, route: 400 };
/** The last millisecond of the year 9999. */
const LATEST: Millis = 253_402_300_799_999;

/** The query of a request. @throws TillgateError `INVALID_FIELDS` naming `from` for a range that is empty or too long */
export function usageQuery(appId: AppId, { by, from, to }: UsageRequest, now: Millis): UsageQuery {
  const end = Math.min(to ?? now + HOUR_MS, LATEST);
  const start = from ?? end - DEFAULT_RANGE_MS[by];
  if (start >= end) throw invalidField('from', 'must be before `to`');
  if (end - start > MAX_DAYS[by] * DAY_MS)
    throw invalidField('from', `must be at most ${MAX_DAYS[by]} days before \`to\``);
  return { appId, from: start, to: end, by };
}
