import type { AppId, OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { OrderStatus } from '../orders/order-status.ts';

/** The units that an App bought and used. What is left may be below zero: calls count after they were admitted. */
export interface PrepaidUnits {
  readonly appId: AppId;
  readonly bought: number;
  /** Used while the App was prepaid. */
  readonly used: number;
  /** The unguessable last part of the page where units are bought for this App. */
  readonly token: string;
}

/**
 * `OPEN`: its order is not paid. `CREDITED`: the App has its units. `TAKEN_BACK`: they were taken away again, because the
 * payment was refunded or removed by a reorganisation.
 */
export type PurchaseState = 'OPEN' | 'CREDITED' | 'TAKEN_BACK';

/** Units that were ordered for an App. The order's price is what they cost. */
export interface Purchase {
  readonly orderId: OrderId;
  readonly appId: AppId;
  readonly plan: string;
  readonly units: number;
  readonly state: PurchaseState;
  readonly createdAt: Millis;
}

/** A purchase with its order's status. */
export interface PurchaseView extends Purchase {
  readonly orderStatus: OrderStatus;
}

/** What Apps bought of the gateway. */
export interface PrepaidStore {
  /** `null` for an App that never was prepaid. */
  find(appId: AppId): Promise<PrepaidUnits | null>;
  findByToken(token: string): Promise<PrepaidUnits | null>;
  /** Apps that never were prepaid are left out. */
  ofApps(apps: readonly AppId[]): Promise<readonly PrepaidUnits[]>;
  /** How many open purchases were made at `since` or later. */
  countOpen(appId: AppId, since: Millis): Promise<number>;
  /** Newest first. */
  purchases(appId: AppId, limit: number): Promise<readonly PurchaseView[]>;
}

/** Purchases, inside a transaction. */
export interface PrepaidWrites {
  /** Begins to count for an App; nothing where that was begun before. */
  open(appId: AppId, token: string): Promise<void>;
  /** Adds an open purchase. */
  add(purchase: Omit<Purchase, 'state'>): Promise<void>;
  /** Gives the App the units of an order's purchase, once; nothing for an order that is no purchase. */
  credit(orderId: OrderId): Promise<void>;
  /** Takes them away again, once. */
  takeBack(orderId: OrderId): Promise<void>;
}
