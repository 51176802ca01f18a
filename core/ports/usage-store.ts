import type { AppId, RouteId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** What an instance has used of one App's limits on one route. */
export interface AppUsageCount {
  readonly appId: AppId;
  readonly routeId: RouteId;
  /** Requests charged since this instance began to count; it only grows while the instance counts on. */
  readonly taken: number;
  /** Requests under way now. */
  readonly running: number;
}

/** The same of another instance. */
export interface RemoteUsage extends AppUsageCount {
  readonly instance: string;
}

/** What an exchange found. */
export interface UsageExchange {
  /** When, by the database's clock. */
  readonly at: Millis;
  readonly uses: readonly RemoteUsage[];
}

/** Where the instances of one database show each other what their Apps use. */
export interface UsageStore {
  /**
   * Shows this instance's counts, and returns what the others have shown since its last exchange or within the last
   * seconds, whichever is longer, but within the last minute. Whoever showed nothing within the last seconds has
   * nothing under way.
   *
   * @param lastAt - the time of this instance's last exchange; `null` for its first
   */
  exchange(instance: string, counts: readonly AppUsageCount[], lastAt: Millis | null): Promise<UsageExchange>;
}
