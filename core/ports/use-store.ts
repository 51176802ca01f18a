import type { AppId, RouteId } from '../kernel/ids.ts';

/** What an instance has used of one App's limits on one route. */
export interface AppUseCount {
  readonly appId: AppId;
  readonly routeId: RouteId;
  /** Requests charged since this instance began to count; it only grows while the instance counts on. */
  readonly taken: number;
  /** Requests under way now. */
  readonly running: number;
}

/** The same of another instance. */
export interface ForeignUse extends AppUseCount {
  readonly instance: string;
}

/** Where the instances of one database show each other what their Apps use. */
export interface UseStore {
  /** Shows this instance's counts, and returns what the others have shown within the last seconds. */
  exchange(instance: string, counts: readonly AppUseCount[]): Promise<readonly ForeignUse[]>;
}
