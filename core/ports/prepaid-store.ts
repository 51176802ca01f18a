import type { AppId, AppKeyId, OrderId } from '../kernel/ids.ts';
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

/** An order for a plan, which the gate offers to whoever pays it first by an authorization. */
export interface GateOffer {
  readonly orderId: OrderId;
  readonly plan: string;
  readonly units: number;
  readonly createdAt: Millis;
}

/** Whose an offer has become. */
export interface GateTaking {
  readonly appId: AppId;
  /** The key that was made with a new App; `null` for an App that was there. */
  readonly keyId: AppKeyId | null;
  /** Of the secret that the payment came with. */
  readonly ticketHash: string;
}

/** An offer as it is stored. */
export interface GateOfferView extends GateOffer {
  /** `null` while nobody has paid. */
  readonly taken: GateTaking | null;
  /** Of its purchase; `null` while nobody has paid. */
  readonly state: PurchaseState | null;
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
  /** `null` for an order that the gate does not offer. */
  gateOffer(orderId: OrderId): Promise<GateOfferView | null>;
}

/** Purchases, inside a transaction. */
export interface PrepaidWrites {
  /** Begins to count for an App; nothing where that was begun before. */
  open(appId: AppId, token: string): Promise<void>;
  /** Adds an open purchase. */
  add(purchase: Omit<Purchase, 'state'>): Promise<void>;
  /** Adds an offer of the gate. */
  addGateOffer(offer: GateOffer): Promise<void>;
  /** False when somebody has it already, or there is none. */
  takeGateOffer(orderId: OrderId, taking: GateTaking): Promise<boolean>;
  /** Whether a payment at the gate is under way for an App, by an offer that was made at `since` or later. */
  isPayingAtGate(appId: AppId, since: Millis): Promise<boolean>;
  /** Gives the App the units of an order's purchase, once; nothing for an order that is no purchase. */
  credit(orderId: OrderId): Promise<void>;
  /** Takes them away again, once. */
  takeBack(orderId: OrderId): Promise<void>;
}
