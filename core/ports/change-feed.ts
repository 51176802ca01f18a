import type { AccountId, AppId, AppKeyId, RouteId } from '../kernel/ids.ts';
import { token } from './token.ts';

/** What changed, of what every gateway keeps in memory. `account-keys`: each App and key of the account. */
export type GatewaySubject =
  | { readonly kind: 'account'; readonly id: AccountId }
  | { readonly kind: 'account-keys'; readonly id: AccountId }
  | { readonly kind: 'app'; readonly id: AppId }
  | { readonly kind: 'key'; readonly id: AppKeyId }
  | { readonly kind: 'route'; readonly id: RouteId };

/** A change: its version, one higher than that of the change before it, and its subject, to be read anew. */
export interface GatewayChange {
  readonly version: number;
  readonly subject: GatewaySubject;
}

/** What the feed holds after some version, both as of one moment. */
export interface FeedPage {
  /** The version of the latest change; 0 when there was none yet. */
  readonly head: number;
  /** In order. Old ones may be gone already: then the first is not the next. */
  readonly changes: readonly GatewayChange[];
}

/**
 * Changes of keys, Apps, accounts and routes in the order of their commits, and who has applied them.
 *
 * An instance that serves gateways has a row here and confirms what it has applied. It may rely on what it knows for the
 * length of its lease from *before* each confirmation; after that it must refuse. A row that stays as it is for a whole
 * lease, by the steady clock of whoever watches it, is removed: no wall clock decides, so that none that jumps can.
 */
export interface ChangeFeed {
  /** How long a follower may wait between two looks when nothing wakes it, in milliseconds. */
  readonly pollMs: number;
  /** Up to `limit` changes after a version. */
  after(version: number, limit: number): Promise<FeedPage>;
  /**
   * Says that an instance has applied everything up to a version and will confirm again within `leaseMs`.
   *
   * @returns false when the instance had no row (any more): changes may have been answered for without it
   */
  confirm(instance: string, version: number, leaseMs: number): Promise<boolean>;
  /** Takes an instance out: nobody waits for it any more. It must have stopped serving. */
  leave(instance: string): Promise<void>;
  /** Removes instances that have been silent for the whole of their lease. */
  reap(): Promise<void>;
  /**
   * Waits until every instance has applied every change committed so far, or was silent for its whole lease: from then
   * on no request anywhere is decided by an older state.
   *
   * @throws TillgateError `NOT_READY` when that cannot be made sure of; the changes stand all the same
   */
  settled(): Promise<void>;
  /** Calls the listener when there may be something new. Returns the end of the subscription. */
  onNotification(listener: () => void): () => void;
}

export const CHANGE_FEED = token<ChangeFeed>('ChangeFeed');
