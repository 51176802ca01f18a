import type { AccountId, CallbackId, Millis, NewestQuery, OrderId, WebhookId } from '../kernel/index.ts';
import type { Callback, CallbackAttempt, CallbackStatus } from './callback.ts';
import type { WebhookEvent } from './event-types.ts';

/** A callback that this instance may send now; the fence distinguishes its claim from a later one. */
export interface ClaimedCallback {
  readonly callback: Callback;
  readonly fence: number;
}

/** The fields of a callback that change after an attempt. */
export interface CallbackOutcomeChanges {
  readonly status: CallbackStatus;
  readonly attempts: number;
  readonly nextAt: Millis;
  readonly deliveredAt: Millis | null;
}

/** A search for callbacks. */
export interface CallbackSearch extends NewestQuery<CallbackId> {
  /** `null` for all accounts. */
  readonly accountId: AccountId | null;
  /** `null` for any status. */
  readonly status: CallbackStatus | null;
  /** Only callbacks of this endpoint; `null` for all, with or without an endpoint. */
  readonly endpointId: WebhookId | null;
}

/** The outbox. */
export interface CallbackStore {
  find(id: CallbackId): Promise<Callback | null>;
  byOrder(orderId: OrderId): Promise<readonly Callback[]>;
  /** Callbacks, newest first. The cost depends only on the page size. */
  list(search: CallbackSearch): Promise<readonly Callback[]>;
  attempts(id: CallbackId): Promise<readonly CallbackAttempt[]>;
  /**
   * Claims due callbacks for `leaseMs`, oldest due first. A callback of an order is claimed only when no earlier one of
   * that order is PENDING, and an event of an endpoint only when every earlier one of its record was attempted. Events
   * of the till's own handlers are left to {@link claimHandled}. Two instances never hold the same claim.
   */
  claimDue(now: Millis, leaseMs: number, limit: number): Promise<readonly ClaimedCallback[]>;
  /**
   * Claims due events of the till's own handlers, of these types, oldest due first. An event is claimed only when no
   * earlier one of its record and of these types is PENDING, whether it was attempted or not.
   */
  claimHandled(
    types: readonly WebhookEvent[],
    now: Millis,
    leaseMs: number,
    limit: number,
  ): Promise<readonly ClaimedCallback[]>;
  /**
   * Stores an attempt and its consequence in one transaction. False when another instance has taken over the claim; the
   * attempt is stored in that case too.
   */
  finish(claim: ClaimedCallback, changes: CallbackOutcomeChanges, attempt: CallbackAttempt): Promise<boolean>;
  /**
   * Moves a DEAD or DELIVERED callback back to PENDING, due now; an event goes to the endpoint's present URL. False
   * when it is in another status, or when its body is no longer kept.
   */
  replay(id: CallbackId, now: Millis): Promise<boolean>;
  /** Removes the bodies of up to `limit` callbacks that were delivered before a time; returns how many. */
  dropBodies(before: Millis, limit: number): Promise<number>;
  /** When the earliest PENDING callback is due; `null` for none. */
  nextDueAt(): Promise<Millis | null>;
}

/** Outbox writes inside a transaction. */
export interface CallbackWrites {
  /** Adds a row; false when the order already has a row for this event. Rows of an endpoint are always added. */
  add(callback: Callback): Promise<boolean>;
  /** Adds rows of endpoints, in this order, by few statements however many there are. */
  addAll(callbacks: readonly Callback[]): Promise<void>;
  /** As {@link CallbackStore.replay}, inside a transaction. */
  replay(id: CallbackId, now: Millis): Promise<boolean>;
  /** Changes the URL of an endpoint's PENDING rows. */
  redirect(endpointId: WebhookId, url: string): Promise<void>;
  /** Moves every PENDING row of an endpoint to DEAD, so that none is sent any more. */
  giveUp(endpointId: WebhookId): Promise<void>;
  /** Moves up to `limit` PENDING events of the till's own handlers, of this type, to DEAD; returns how many. */
  giveUpHandled(type: WebhookEvent, limit: number): Promise<number>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly callbacks: CallbackStore;
  }
  interface Transaction {
    readonly callbacks: CallbackWrites;
  }
}

declare module '../kernel/events.ts' {
  interface DomainEvents {
    /** `null`: an event of the till's own handlers. */
    'callback.queued': { readonly accountId: AccountId | null };
  }
}
