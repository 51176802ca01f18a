import type { Callback } from '../callbacks/callback.ts';
import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { AccountId, LinkId, OrderId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Millis } from '../kernel/time.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from '../orders/order.ts';
import type { OrderStatus } from '../orders/order-status.ts';

/** A deposit address of an order. */
export interface DepositAddress {
  readonly chain: ChainCode;
  readonly address: string;
  /** The watch key, which scanning compares. */
  readonly key: string;
  readonly walletId: string;
  readonly index: number;
}

/** How long an `Idempotency-Key` keeps its first answer (decisions, section 2): a claim's `expiresAt` less the moment it was made. */
export const CLAIM_KEPT_MS = 86_400_000;

/** The first answer to an `Idempotency-Key`, kept for 24 hours (decisions, section 2). */
export interface IdempotencyClaim {
  /** The operation's path, part of the key's scope. */
  readonly route: string;
  readonly key: string;
  /** SHA-256 of the body's bytes: another body with the same key is refused. */
  readonly bodyHash: string;
  readonly expiresAt: Millis;
}

/** A new order; the store assigns its number. */
export interface NewOrder {
  readonly order: Omit<Order, 'number'>;
  readonly depositAddress: DepositAddress | null;
  readonly idempotency: IdempotencyClaim | null;
  /** Rows of the outbox, stored with the order and only with it; none by default. */
  readonly events?: readonly Callback[];
  /** The place that it takes among the sales of its payment link. */
  readonly place?: LinkPlace;
}

/** What a payment link has to be when an order of it is stored: decided in the same transaction, with the link locked. */
export interface LinkPlace {
  readonly linkId: LinkId;
  /** The version that the order was made from. */
  readonly version: number;
  /** The most orders that may be paid or open; `null` for no limit. */
  readonly maxSales: number | null;
  /** The most orders that may be open. */
  readonly maxOpen: number;
}

/** Why an order gets no place: its link has changed since it was read, has no sale left, or has too many open orders. */
export type PlaceRefusal = 'link-changed' | 'no-sale-left' | 'too-many-open';

/**
 * The result of a {@link NewOrder}: `repeated` names the order that was created with the same idempotency key,
 * `reference-taken` another order of the account with the same merchant reference, `no-place` why its link refuses it.
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
  readonly updatedAt: Millis;
}

/** An order due for a decision. */
export interface DueOrder {
  readonly id: OrderId;
  readonly chain: ChainCode | null;
}

/** Where an order is in a list, newest first; two of one millisecond go by their ids. */
export interface OrderPosition {
  readonly createdAt: Millis;
  readonly id: OrderId;
}

/** Every form in which a text that is searched for may be stored. */
export interface OrderTraces {
  /** The order's id or its merchant reference. */
  readonly text: string;
  /** A deposit address of the order. */
  readonly addresses: readonly { readonly chain: ChainCode; readonly address: string }[];
  /** A transaction that pays it. */
  readonly transactions: readonly { readonly chain: ChainCode; readonly txid: string }[];
}

/** Which orders are asked for. */
export interface OrderSearch {
  /** `null` for those of all accounts. */
  readonly accountId: AccountId | null;
  /** In one of these. */
  readonly statuses: readonly OrderStatus[];
  /** To be paid in one of these; `null` for any, and for orders whose payer has not chosen one. */
  readonly currencies: readonly CurrencyCode[] | null;
  /** Created then or later; `null` for no bound. */
  readonly from: Millis | null;
  /** Created before; `null` for no bound. */
  readonly to: Millis | null;
  /** One of which the order has; `null` for all orders. */
  readonly traces: OrderTraces | null;
  /** Made by this payment link; `null` for all. */
  readonly linkId: LinkId | null;
  /** The last one of the page before; `null` for the first page. */
  readonly after: OrderPosition | null;
  readonly limit: number;
}

/** Order reads, and creating an order. All reads see every committed write. */
export interface OrderStore {
  /**
   * Creates an order in one transaction: its row and number, its address, its idempotency claim. Concurrent calls may be
   * committed together. Resolves only when it is durable. An idempotency claim decides before the merchant reference.
   */
  create(order: NewOrder): Promise<CreateOrderResult>;
  find(id: OrderId): Promise<Order | null>;
  findByCheckoutToken(token: string): Promise<Order | null>;
  /** When each of these orders changed last: one read for many open pages. */
  changedAt(ids: readonly OrderId[]): Promise<ReadonlyMap<OrderId, Millis>>;
  /** An account's orders, newest first, with the exact total; the cost does not depend on the page. */
  list(accountId: AccountId, page: PageRequest): Promise<Page<Order>>;
  /** Orders, newest first. What a page costs depends on its size alone, whatever is asked for. */
  search(search: OrderSearch): Promise<readonly Order[]>;
  /** How many orders of an account are PENDING, at most `most`; reads no more than all orders that are. */
  countOpen(accountId: AccountId, most: number): Promise<number>;
  history(id: OrderId): Promise<readonly OrderHistoryEntry[]>;
  /**
   * PENDING orders whose deadline is at or before `now`: those without a chain, and those of chains named in `chains`
   * whose deadline is also at or before that chain's time; not those that wait for a SEEN deposit paid in time.
   * Oldest deadline first.
   */
  dueForExpiry(now: Millis, chains: ReadonlyMap<ChainCode, Millis>, limit: number): Promise<readonly DueOrder[]>;
  /** SUCCESS and RESOLVED orders marked by a reorganisation whose watch window ended at or before `now`. */
  dueForReversal(now: Millis, limit: number): Promise<readonly DueOrder[]>;
  /** Deletes expired idempotency claims; returns how many. */
  pruneIdempotency(now: Millis, limit: number): Promise<number>;
}

/** Order writes inside a transaction. */
export interface OrderWrites {
  /** The order, locked against every other transaction until this one ends. */
  lock(id: OrderId): Promise<Order | null>;
  /** Compare-and-set of the status together with other changes; false when the order is no longer in `from`. */
  move(id: OrderId, from: OrderStatus, to: OrderStatus, changes: OrderChanges): Promise<boolean>;
  /** Changes without a change of status. */
  update(id: OrderId, changes: OrderChanges): Promise<void>;
  addHistory(entry: OrderHistoryEntry): Promise<void>;
  /** Assigns an address on a chain to an order; a second one for the same (order, chain) is a defect. */
  addAddress(
    id: OrderId,
    address: DepositAddress,
    currency: CurrencyCode,
    times: { readonly watchUntil: Millis; readonly assignedAt: Millis },
  ): Promise<void>;
  /** The address that this order already has on a chain. */
  addressOn(id: OrderId, chain: ChainCode): Promise<DepositAddress | null>;
  /** The deposit address of this text, and the order that it was given to. */
  addressAt(chain: ChainCode, address: string): Promise<(DepositAddress & { readonly orderId: OrderId }) | null>;
  /** Changes the currency expected at an order's address; the address counts as newly assigned (see `watched`). */
  setAddressCurrency(id: OrderId, chain: ChainCode, currency: CurrencyCode): Promise<void>;
  /** Watches an order's address on a chain at least until `until`; it counts as newly assigned (see `watched`). */
  extendWatch(id: OrderId, chain: ChainCode, until: Millis): Promise<void>;
}
