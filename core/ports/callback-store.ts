import type { AccountId, CallbackId, OrderId, WebhookId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Callback, CallbackAttempt, CallbackStatus } from '../callbacks/callback.ts';

/** A callback that this instance may send now; the fence distinguishes its claim from a later one. */
export interface ClaimedCallback {
  readonly callback: Callback;
  readonly fence: number;
}

/** The changes of a callback after an attempt. */
export interface CallbackOutcomeChanges {
  readonly status: CallbackStatus;
  readonly attempts: number;
  readonly nextAt: Millis;
  readonly deliveredAt: Millis | null;
}

/** Which callbacks are asked for. */
export interface CallbackSearch {
  /** `null` for those of all accounts. */
  readonly accountId: AccountId | null;
  /** `null` for any. */
  readonly status: CallbackStatus | null;
  /** Only those of this endpoint; `null` for any, and those that belong to none. */
  readonly endpointId: WebhookId | null;
  /** The last one of the page before; `null` for the first page. */
  readonly after: CallbackId | null;
  readonly limit: number;
}

/** The outbox. */
export interface CallbackStore {
  find(id: CallbackId): Promise<Callback | null>;
  byOrder(orderId: OrderId): Promise<readonly Callback[]>;
  /** Callbacks, newest first. What a page costs depends on its size alone. */
  list(search: CallbackSearch): Promise<readonly Callback[]>;
  attempts(id: CallbackId): Promise<readonly CallbackAttempt[]>;
  /**
   * Claims due callbacks for `leaseMs`, oldest due first; one of an order only when no earlier one of that order is
   * still PENDING, and an event of an endpoint only when every earlier one of its record was attempted. Two instances never hold
   * the same claim.
   */
  claimDue(now: Millis, leaseMs: number, limit: number): Promise<readonly ClaimedCallback[]>;
  /**
   * Stores an attempt and its consequence in one transaction; false when the claim was lost to another instance (the attempt
   * is stored all the same).
   */
  finish(claim: ClaimedCallback, changes: CallbackOutcomeChanges, attempt: CallbackAttempt): Promise<boolean>;
  /**
   * DEAD or DELIVERED back to PENDING, due now, an endpoint's row to its present URL; false when it is neither, or its body is no
   * longer kept.
   */
  replay(id: CallbackId, now: Millis): Promise<boolean>;
  /** Removes the bodies of up to `limit` callbacks that were delivered before then. @returns how many */
  dropBodies(before: Millis, limit: number): Promise<number>;
  /** When the earliest PENDING callback is due; `null` for none. */
  nextDueAt(): Promise<Millis | null>;
}

/** Outbox writes inside a transaction. */
export interface CallbackWrites {
  /** Adds a row; false when the order's row for this event exists. Those of an endpoint are all added. */
  add(callback: Callback): Promise<boolean>;
  /** As {@link CallbackStore.replay}, inside a transaction. */
  replay(id: CallbackId, now: Millis): Promise<boolean>;
  /** Sends the PENDING rows of an endpoint to its new URL. */
  redirect(endpointId: WebhookId, url: string): Promise<void>;
  /** PENDING to DEAD for every row of an endpoint: nothing of it is sent any more. */
  giveUp(endpointId: WebhookId): Promise<void>;
}
