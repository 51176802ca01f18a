import type { AccountId, AppId, AppKeyId, RouteId } from '../kernel/index.ts';
import { token } from '../kernel/index.ts';

/** The changed record of a gateway's in-memory data. `account-keys`: each App and key of the account. */
export type GatewaySubject =
  | { readonly kind: 'account'; readonly id: AccountId }
  | { readonly kind: 'account-keys'; readonly id: AccountId }
  | { readonly kind: 'app'; readonly id: AppId }
  | { readonly kind: 'key'; readonly id: AppKeyId }
  | { readonly kind: 'route'; readonly id: RouteId };

/** A change: its version, one higher than the version before, and the record, which must be read again. */
export interface GatewayChange {
  readonly version: number;
  readonly subject: GatewaySubject;
}

/** The changes after a version, and the latest version, read consistently. */
export interface FeedPage {
  /** The version of the latest change; 0 before the first. */
  readonly head: number;
  /** The changes in order. Old ones may have been deleted; then the first is not the next version. */
  readonly changes: readonly GatewayChange[];
}

/**
 * Changes of keys, Apps, accounts and routes in the order of their commits, and the version that each instance has
 * applied.
 *
 * An instance that serves gateways has a row here and confirms the version that it has applied. It may rely on its
 * memory for one lease, counted from *before* each confirmation; after that it must refuse requests. A row that does
 * not change for a whole lease, by the monotonic clock of the instance that watches it, is removed. A jump of a wall
 * clock therefore has no effect.
 */
export interface ChangeFeed {
  /** The longest time in milliseconds that a follower waits between two reads without a notification. */
  readonly pollMs: number;
  /** Up to `limit` changes after a version. */
  after(version: number, limit: number): Promise<FeedPage>;
  /**
   * Confirms that an instance has applied everything up to a version and will confirm again within `leaseMs`.
   *
   * @returns false when the instance had no row: changes may have been completed without its confirmation
   */
  confirm(instance: string, version: number, leaseMs: number): Promise<boolean>;
  /** Removes an instance that has stopped serving; its confirmation is no longer required. */
  leave(instance: string): Promise<void>;
  /** Removes instances that have been silent for the whole of their lease. */
  reap(): Promise<void>;
  /**
   * Waits until every instance has applied every change committed so far or was silent for its whole lease. After that,
   * no instance decides a request by an older state.
   *
   * @throws TillgateError `NOT_READY` when that cannot be ensured; the changes are committed all the same
   */
  settled(): Promise<void>;
  /** Calls the listener when there may be new changes. Returns a function that unsubscribes. */
  onNotification(listener: () => void): () => void;
}

export const CHANGE_FEED = token<ChangeFeed>('ChangeFeed');

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Changes of the data that gateways keep in memory; every such write publishes here. */
    readonly feed: ChangeFeed;
  }
}
