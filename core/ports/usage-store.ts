import type { AppId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** What was used. Errors are calls that were refused, or answered with an HTTP status from 400 up. */
export interface UsageCounts {
  readonly requests: number;
  readonly units: number;
  readonly errors: number;
  /** Of bodies, from the client. */
  readonly bytesIn: number;
  /** Of bodies, to the client. */
  readonly bytesOut: number;
}

/** What one App used of a method of a route in one hour. */
export interface UsageRow extends UsageCounts {
  readonly appId: AppId;
  /** The beginning of the hour, UTC. */
  readonly hour: Millis;
  /** The route's host. */
  readonly route: string;
  readonly method: string;
}

/** Counts that an instance adds together. */
export interface UsageBatch {
  /** A name that no instance had before. */
  readonly instance: string;
  /** Counts up from 1 with each batch of the instance. */
  readonly number: number;
  /** Each (App, hour, route, method) once. */
  readonly rows: readonly UsageRow[];
}

/** What usage is summed up by. */
export const USAGE_GROUPS = ['day', 'hour', 'method', 'route'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** An App's usage in the hours that begin at `from` or later, and before `to`. */
export interface UsageQuery {
  readonly appId: AppId;
  readonly from: Millis;
  readonly to: Millis;
  readonly by: UsageGroup;
}

/** One group of a query: `at`, `route` or `method` says which; the others are `null`. */
export interface UsageSum extends UsageCounts {
  /** The beginning of the hour or the day, UTC. */
  readonly at: Millis | null;
  readonly route: string | null;
  readonly method: string | null;
}

/** What an App used in the present windows of a quota. */
export interface WindowUnits {
  readonly appId: AppId;
  readonly day: number;
  readonly month: number;
}

/** What Apps used of the gateway. */
export interface UsageStore {
  /**
   * Adds a batch to what is stored, atomically, and the units of prepaid Apps to what they used of theirs. A batch whose outcome is unknown may be added again: one that is stored
   * already changes nothing.
   *
   * @throws TillgateError `NOT_READY`; whether it is stored may be unknown then
   */
  add(batch: UsageBatch): Promise<void>;
  /** In the order of the group. */
  sum(query: UsageQuery): Promise<readonly UsageSum[]>;
  /**
   * What Apps used since a day and since the month that it is in began; Apps without usage may be left out.
   *
   * @param day - the beginning of the day
   * @param month - the beginning of the month
   */
  windowUnits(apps: readonly AppId[], day: Millis, month: Millis): Promise<readonly WindowUnits[]>;
  /** Removes up to `limit` hours before a time, as many days, and as many numbers of batches that were added before it; returns how many. */
  prune(before: Millis, limit: number): Promise<number>;
}
