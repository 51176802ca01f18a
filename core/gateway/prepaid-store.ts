import type { AppId, AppKeyId, Millis, OrderId } from '../kernel/index.ts';
import type { OrderStatus } from '../orders/index.ts';

/** The units that an App bought and used. The remainder may be negative: calls are counted after their admission. */
export interface PrepaidUnits {
  readonly appId: AppId;
  readonly bought: number;
  /** Units used while the App was prepaid. */
  readonly used: number;
  /** The unguessable last part of the URL of the page where units are bought for this App. */
  readonly token: string;
}

/**
 * `OPEN`: its order is not paid. `CREDITED`: the App has its units. `TAKEN_BACK`: the units were removed, because the
 * payment was refunded or removed by a reorganisation.
 */
export type PurchaseState = 'OPEN' | 'CREDITED' | 'TAKEN_BACK';

/** Units ordered for an App; the order has their price. */
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

/** An order for a plan that the gate offers to the first payer who pays it by an authorization. */
export interface GateOffer {
  readonly orderId: OrderId;
  readonly plan: string;
  readonly units: number;
  readonly createdAt: Millis;
}

/** The App that has acquired an offer. */
export interface GateTaking {
  readonly appId: AppId;
  /** The key that was created with a new App; `null` for an existing App. */
  readonly keyId: AppKeyId | null;
  /** The hash of the secret that the payment came with. */
  readonly ticketHash: string;
}

/** An offer as it is stored. */
export interface GateOfferView extends GateOffer {
  /** `null` before anyone has paid. */
  readonly taken: GateTaking | null;
  /** The state of the purchase; `null` before anyone has paid. */
  readonly state: PurchaseState | null;
}

/** Purchases of gateway units by Apps. */
export interface PrepaidStore {
  /** `null` for an App that was never prepaid. */
  find(appId: AppId): Promise<PrepaidUnits | null>;
  findByToken(token: string): Promise<PrepaidUnits | null>;
  /** The units of these Apps; Apps that were never prepaid are omitted. */
  ofApps(apps: readonly AppId[]): Promise<readonly PrepaidUnits[]>;
  /** The number of open purchases created at `since` or later. */
  countOpen(appId: AppId, since: Millis): Promise<number>;
  /** Purchases of an App, newest first. */
  purchases(appId: AppId, limit: number): Promise<readonly PurchaseView[]>;
  /** `null` for an order that the gate does not offer. */
  gateOffer(orderId: OrderId): Promise<GateOfferView | null>;
}

/** Purchases, inside a transaction. */
export interface PrepaidWrites {
  /** Starts counting for an App; does nothing when it was started before. */
  open(appId: AppId, token: string): Promise<void>;
  add(purchase: Omit<Purchase, 'state'>): Promise<void>;
  addGateOffer(offer: GateOffer): Promise<void>;
  /** Assigns an offer of the gate; false when it is already assigned or does not exist. */
  takeGateOffer(orderId: OrderId, taking: GateTaking): Promise<boolean>;
  /** Whether a payment at the gate is in progress for an App, by an offer created at `since` or later. */
  isPayingAtGate(appId: AppId, since: Millis): Promise<boolean>;
  /** Credits the App with the units of an order's purchase, once; does nothing for an order that is no purchase. */
  credit(orderId: OrderId): Promise<void>;
  /** Removes the units of an order's purchase again, once. */
  takeBack(orderId: OrderId): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Purchases of gateway units by Apps. */
    readonly prepaid: PrepaidStore;
  }
  interface Transaction {
    readonly prepaid: PrepaidWrites;
  }
}
