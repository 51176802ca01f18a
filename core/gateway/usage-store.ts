import type { AppId, Millis } from '../kernel/index.ts';

/** Counts of calls. Errors are calls that were refused, or answered with an HTTP status of 400 or above. */
export interface UsageCounts {
  readonly requests: number;
  readonly units: number;
  readonly errors: number;
  /** Bytes of request bodies, from the client. */
  readonly bytesIn: number;
  /** Bytes of response bodies, to the client. */
  readonly bytesOut: number;
}

/** The usage of one method of a route by one App in one hour. */
export interface UsageRow extends UsageCounts {
  readonly appId: AppId;
  /** The beginning of the hour, UTC. */
  readonly hour: Millis;
  /** The host of the route. */
  readonly route: string;
  readonly method: string;
}

/** A batch of counts that an instance adds. */
export interface UsageBatch {
  /** A name that no instance had before. */
  readonly instance: string;
  /** The number of the batch, from 1 for each instance. */
  readonly number: number;
  /** Each (App, hour, route, method) once. */
  readonly rows: readonly UsageRow[];
}

/** The groups by which usage is summed. */
export const USAGE_GROUPS = ['day', 'hour', 'method', 'route'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** The usage of an App in the hours that begin at `from` or later, and before `to`. */
export interface UsageQuery {
  readonly appId: AppId;
  readonly from: Millis;
  readonly to: Millis;
  readonly by: UsageGroup;
}

/** One group of a query: one of `at`, `route` and `method` identifies it; the others are `null`. */
export interface UsageSum extends UsageCounts {
  /** The beginning of the hour or the day, UTC. */
  readonly at: Millis | null;
  readonly route: string | null;
  readonly method: string | null;
}

/** The units that an App used in the present windows of a quota. */
export interface WindowUnits {
  readonly appId: AppId;
  readonly day: number;
  readonly month: number;
}

/** Usage of the gateway by Apps. */
export interface UsageStore {
  /**
   * Adds a batch to the stored counts, and the units of prepaid Apps to their used ones, atomically. A batch whose
   * outcome is unknown may be added again: one that is already stored changes nothing.
   *
   * @throws TillgateError `NOT_READY`; it may be unknown then whether the batch is stored
   */
  add(batch: UsageBatch): Promise<void>;
  /** The sums, ordered by the group. */
  sum(query: UsageQuery): Promise<readonly UsageSum[]>;
  /**
   * The units that Apps used since the beginning of a day and of its month; Apps without usage may be omitted.
   *
   * @param day - the beginning of the day
   * @param month - the beginning of the month
   */
  windowUnits(apps: readonly AppId[], day: Millis, month: Millis): Promise<readonly WindowUnits[]>;
  /** Removes up to `limit` hours, days and batch numbers each from before a time; returns how many. */
  prune(before: Millis, limit: number): Promise<number>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Usage of the gateway by Apps. */
    readonly usage: UsageStore;
  }
}
