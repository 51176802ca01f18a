import type { Deposit, DepositAddress, OrderTraces } from '../chain/index.ts';
import type {
  AccountId,
  ChainCode,
  CurrencyCode,
  IdempotencyClaim,
  LinkId,
  Millis,
  OrderId,
  Page,
  PageRequest,
} from '../kernel/index.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from './order.ts';
import type { OrderRefunds } from './order-refunds.ts';
import type { OrderStatus, OrderTransition } from './order-status.ts';
import type { ShopOrder } from './shop-order.ts';

/** A new order; the store assigns its number. */
export interface NewOrder {
  readonly order: Omit<Order, 'number'>;
  readonly depositAddress: DepositAddress | null;
  readonly idempotency: IdempotencyClaim | null;
  /** False for an account of whose events nobody is told, as far as is known, which saves a look-up. */
  readonly hasWebhooks?: boolean;
  /** The place among the sales of a payment link that the order takes. */
  readonly place?: LinkPlace;
  /** What the shop system that makes it keeps with it. */
  readonly shop?: ShopOrder;
}

/** The conditions of a payment link for storing an order of it, checked in its transaction with the link locked. */
export interface LinkPlace {
  readonly linkId: LinkId;
  /** The version of the link from which the order was made. */
  readonly version: number;
  /** The most orders of the link that may be open or paid; `null` for no limit. */
  readonly maxSales: number | null;
  /** The most orders of the link that may be open. */
  readonly maxOpen: number;
}

/** Why an order gets no place: its link has changed since the read, has no sale left, or has too many open orders. */
export type PlaceRefusal = 'link-changed' | 'no-sale-left' | 'too-many-open';

/**
 * The result of creating a {@link NewOrder}. `repeated` gives the order that was created with the same idempotency key,
 * `reference-taken` another order of the account with the same merchant reference, `no-place` the reason why the
 * payment link refuses it.
 */
export type CreateOrderResult =
  | { readonly kind: 'created'; readonly order: Order }
  | { readonly kind: 'repeated'; readonly orderId: OrderId; readonly bodyHash: string }
  | { readonly kind: 'reference-taken'; readonly orderId: OrderId }
  | { readonly kind: 'no-place'; readonly why: PlaceRefusal };

/** The fields of an order that may change without a change of status. */
export interface OrderChanges {
  readonly payment?: OrderPayment;
  readonly received?: bigint;
  readonly reorgedAt?: Millis | null;
  readonly refundAddress?: string | null;
  readonly refundBrowser?: string | null;
  readonly refundAddressAt?: Millis | null;
  readonly updatedAt: Millis;
}

/** What an idempotency claim is found by. */
export type ClaimName = Pick<IdempotencyClaim, 'route' | 'key'>;

/** The position of an order among those whose deadline has passed. */
export interface DeadlinePosition {
  readonly expiresAt: Millis;
  readonly id: OrderId;
}

/** The position of an order in a list, newest first; orders of the same millisecond are ordered by id. */
export interface OrderPosition {
  readonly createdAt: Millis;
  readonly id: OrderId;
}

/** A search for orders. */
export interface OrderSearch {
  /** `null` for all accounts. */
  readonly accountId: AccountId | null;
  /** Orders in these statuses. */
  readonly statuses: readonly OrderStatus[];
  /** Orders to be paid in these currencies; `null` for any, and for orders whose payer has not chosen one. */
  readonly currencies: readonly CurrencyCode[] | null;
  /** Orders created at or after this time; `null` for no bound. */
  readonly from: Millis | null;
  /** Orders created before this time; `null` for no bound. */
  readonly to: Millis | null;
  /** Orders with at least one of these traces; `null` for all orders. */
  readonly traces: OrderTraces | null;
  /** Orders of this payment link; `null` for all. */
  readonly linkId: LinkId | null;
  /** The last order of the page before; `null` for the first page. */
  readonly after: OrderPosition | null;
  readonly limit: number;
}

/** Order reads, and creating an order. All reads see every committed write. */
export interface OrderStore {
  /**
   * Creates an order in one transaction: its row and number, its address, its idempotency claim. Concurrent calls may
   * be committed together. Resolves only when the order is durable. The idempotency claim is checked before the
   * merchant reference.
   */
  create(order: NewOrder): Promise<CreateOrderResult>;
  find(id: OrderId): Promise<Order | null>;
  /** The order that was created with a claim which has not expired at `now`. */
  findByClaim(accountId: AccountId, claim: ClaimName, now: Millis): Promise<Order | null>;
  findByCheckoutToken(token: string): Promise<Order | null>;
  /** When each of these orders last changed, in one read for many open pages. */
  changedAt(ids: readonly OrderId[]): Promise<ReadonlyMap<OrderId, Millis>>;
  /** An account's orders, newest first, with the exact total; the cost does not depend on the page. */
  list(accountId: AccountId, page: PageRequest): Promise<Page<Order>>;
  /** Orders, newest first. The cost depends only on the page size, whatever the filters are. */
  search(search: OrderSearch): Promise<readonly Order[]>;
  /** The number of PENDING orders of an account, at most `most`; reads only PENDING orders. */
  countOpen(accountId: AccountId, most: number): Promise<number>;
  history(id: OrderId): Promise<readonly OrderHistoryEntry[]>;
  /**
   * PENDING orders whose deadline is at or before `now`: those without a chain, and those of chains in `chains` whose
   * deadline is also at or before the chain's time there. Oldest deadline first, after a position.
   */
  dueForExpiry(
    now: Millis,
    chains: ReadonlyMap<ChainCode, Millis>,
    limit: number,
    after: DeadlinePosition | null,
  ): Promise<readonly Order[]>;
  /** SUCCESS and RESOLVED orders marked by a reorganisation whose watch window ended at or before `now`. */
  dueForReversal(now: Millis, limit: number): Promise<readonly OrderId[]>;
  /** Orders that {@link OrderWrites.decideAgain} has marked, longest waiting first. */
  dueForDecision(limit: number): Promise<readonly OrderId[]>;
  /** Deletes expired idempotency claims; returns how many. */
  pruneIdempotency(now: Millis, limit: number): Promise<number>;
}

/** Order writes inside a transaction. */
export interface OrderWrites {
  /** The order, locked against every other transaction until this one ends. */
  lock(id: OrderId): Promise<Order | null>;
  /** The order in this transaction's view, without a lock. */
  find(id: OrderId): Promise<Order | null>;
  /** Compare-and-set of the status together with other changes; false when the order is no longer in `from`. */
  move(id: OrderId, from: OrderStatus, to: OrderStatus, changes: OrderChanges): Promise<boolean>;
  /** Changes without a change of status. */
  update(id: OrderId, changes: OrderChanges): Promise<void>;
  addHistory(entry: OrderHistoryEntry): Promise<void>;
  /** Marks the order so that its rules are applied again outside of this transaction; `null` removes the mark. */
  decideAgain(id: OrderId, at: Millis | null): Promise<void>;
  /** As {@link OrderStore.history}, in this transaction's view. */
  history(id: OrderId): Promise<readonly OrderHistoryEntry[]>;
  /** Assigns an address on a chain to an order; a second one for the same (order, chain) is a defect. */
  addAddress(
    id: OrderId,
    address: DepositAddress,
    currency: CurrencyCode,
    times: { readonly watchUntil: Millis; readonly assignedAt: Millis },
  ): Promise<void>;
  /** The address that this order already has on a chain. */
  addressOn(id: OrderId, chain: ChainCode): Promise<DepositAddress | null>;
  /** The deposit address with this text, and the order that it was assigned to. */
  addressAt(chain: ChainCode, address: string): Promise<(DepositAddress & { readonly orderId: OrderId }) | null>;
  /** Changes the currency expected at an order's address; the address counts as newly assigned (see `watched`). */
  setAddressCurrency(id: OrderId, chain: ChainCode, currency: CurrencyCode): Promise<void>;
  /** Watches an order's address on a chain at least until `until`; it counts as newly assigned (see `watched`). */
  extendWatch(id: OrderId, chain: ChainCode, until: Millis): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly orders: OrderStore;
  }
  interface Transaction {
    readonly orders: OrderWrites;
  }
  interface RecordedEvents {
    /** Recorded by {@link OrderStore.create}. */
    'order.created': Pick<NewOrder, 'order' | 'shop'>;
    /** Recorded by the order state machine, with the order after the move, its deposits and its refunds. */
    'order.moved': {
      readonly order: Order;
      readonly deposits: readonly Deposit[];
      readonly refunds: OrderRefunds;
      readonly transition: OrderTransition;
    };
    /** Recorded by the order state machine: a payment about which the merchant must decide. */
    'order.payment-undecided': { readonly entry: OrderHistoryEntry };
  }
}
