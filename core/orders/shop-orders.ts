import { partOf, present, TillgateError } from '../kernel/index.ts';
import type { AccountId, Asset, Clock, IdempotencyClaim, Millis, OrderId, Storage } from '../kernel/index.ts';
import type { Deposit, UnconfirmedPayment } from '../chain/index.ts';
import type { Principal } from '../access/index.ts';
import type { CreateOrder, ShopOrderInput } from './create-order.ts';
import { groupByOrder } from './group-by-order.ts';
import type { OrderQueries } from './order-queries.ts';
import { orderSearch } from './order-search.ts';
import type { SearchDeps } from './order-search.ts';
import type { OrderPosition } from './order-store.ts';
import type { OrderStatus } from './order-status.ts';
import type { Order, OrderHistoryEntry } from './order.ts';
import { checkShopOrder } from './shop-order.ts';
import type { ShopOrder } from './shop-order.ts';
import { liveDeposits } from './settle-order.ts';

/** An order with the facts from which a shop system's view of it follows. */
export interface ShopOrderView {
  readonly order: Order;
  /** `null` for an order that no shop made or changed. */
  readonly shop: ShopOrder | null;
  /** The coin in which it is paid; `null` until the payer has chosen one. */
  readonly asset: Asset | null;
  /** The deposits in its coin that no reorganisation has removed, without dust. */
  readonly deposits: readonly Deposit[];
  /** The payments in its coin that are in the mempool. */
  readonly unconfirmed: readonly UnconfirmedPayment[];
  /** The last change of its status; `null` where the status itself says it: PENDING, OVERDUE, SUCCESS and PARTIAL. */
  readonly lastMove: Pick<OrderHistoryEntry, 'rule' | 'from'> | null;
  /** The URL that the shop gives its payer. */
  readonly url: string;
}

/** The filter of a shop's orders. */
export interface ShopOrderFilter {
  /** Orders in these statuses. */
  readonly statuses: readonly OrderStatus[];
  /** Orders with this number of the shop, or with this merchant reference. */
  readonly reference?: string | undefined;
  /** As in lists of the management API, or the shop's number. */
  readonly q?: string | undefined;
  /** Orders created at or after this time. */
  readonly from?: Millis | undefined;
  /** Orders created before this time. */
  readonly to?: Millis | undefined;
}

/** Changes of what a shop keeps with an order; absent fields stay unchanged. */
export interface ShopOrderChanges extends Partial<Pick<ShopOrder, 'reference' | 'metadata'>> {
  readonly archived?: boolean;
}

export interface ShopOrdersDeps extends SearchDeps {
  readonly storage: Pick<Storage, 'orders' | 'shopOrders' | 'deposits' | 'unconfirmedPayments' | 'transaction'>;
  readonly assets: SearchDeps['assets'] & { find(currency: string): Asset | null };
  readonly createOrder: Pick<CreateOrder, 'ofShop'>;
  readonly queries: Pick<OrderQueries, 'invoiceUrl'>;
  readonly clock: Clock;
}

/** Statuses of which only the last move says how the order came there. */
const BY_LAST_MOVE: readonly OrderStatus[] = ['RESOLVED', 'REFUNDED', 'TERMINATED'];
/** The orders that one read of a list takes. */
const PART = 100;
const TOKEN = /^[0-9a-f]{32}$/;

/** The orders of an account as its shop systems use them: by the unguessable token of the payer's page. */
export class ShopOrders {
  readonly #deps: ShopOrdersDeps;

  constructor(deps: ShopOrdersDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an order, in its coin where the shop offers only one, otherwise with a hosted checkout.
   *
   * @throws TillgateError as `CreateOrder.inCoin`; `INVALID_FIELDS` for data beyond the limits
   */
  async create(
    principal: Principal,
    input: ShopOrderInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<ShopOrderView> {
    checkShopOrder(input.shop);
    const order = await this.#deps.createOrder.ofShop(principal, input, idempotency);
    return this.#view(order);
  }

  /** @throws TillgateError `NOT_FOUND`, also for an order of another account */
  async find(accountId: AccountId, token: string): Promise<ShopOrderView> {
    return this.#view(await this.#own(accountId, token));
  }

  /**
   * Orders of an account, newest first. Each part is read when it is needed, without an open transaction.
   *
   * @throws TillgateError `INVALID_FIELDS` for an empty range of time
   */
  async *each(accountId: AccountId, filter: ShopOrderFilter): AsyncGenerator<ShopOrderView> {
    const { statuses, reference, q = reference, from, to } = filter;
    let after: OrderPosition | null = null;
    do {
      const search = orderSearch(accountId, { q, from, to }, { limit: PART + 1, after }, this.#deps);
      const found = search === null ? [] : await this.#deps.storage.orders.search({ ...search, statuses });
      const part = partOf(found, PART, ({ createdAt, id }) => ({ createdAt, id }));
      for (const view of await this.#views(part.items))
        if (reference === undefined || referenceOf(view) === reference) yield view;
      after = part.next;
    } while (after !== null);
  }

  /** @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS` for data beyond the limits */
  async change(accountId: AccountId, token: string, changes: ShopOrderChanges): Promise<ShopOrderView> {
    checkShopOrder(changes);
    const { storage, clock } = this.#deps;
    const { id } = await this.#own(accountId, token);
    const { archived, ...fields } = changes;
    await storage.transaction(async (tx) => {
      const order = present(await tx.orders.lock(id), `order ${id}`);
      const now = clock.now();
      const former = (await tx.shopOrders.find(id)) ?? emptyShopOrder(order);
      const archivedAt = archived === undefined ? former.archivedAt : archived ? (former.archivedAt ?? now) : null;
      await tx.shopOrders.save({ ...former, ...fields, archivedAt }, now);
    });
    return this.find(accountId, token);
  }

  async #own(accountId: AccountId, token: string): Promise<Order> {
    const order = TOKEN.test(token) ? await this.#deps.storage.orders.findByCheckoutToken(token) : null;
    if (order?.accountId !== accountId) throw new TillgateError('NOT_FOUND', 'There is no such order.');
    return order;
  }

  async #view(order: Order): Promise<ShopOrderView> {
    return present((await this.#views([order]))[0], 'the view of an order');
  }

  /** The views of orders, with a few reads for all of them. */
  async #views(orders: readonly Order[]): Promise<readonly ShopOrderView[]> {
    const { storage, assets, queries } = this.#deps;
    const ids = orders.map(({ id }) => id);
    const [shops, deposits, unconfirmed] =
      ids.length === 0
        ? [[], [], []]
        : await Promise.all([
            storage.shopOrders.findAll(ids),
            storage.deposits.byOrders(ids),
            storage.unconfirmedPayments.live(ids),
          ]);
    const byOrder = groupByOrder(deposits);
    const shopOf = new Map(shops.map((shop) => [shop.orderId, shop]));
    return Promise.all(
      orders.map(async (order) => ({
        order,
        shop: shopOf.get(order.id) ?? null,
        asset: order.payment === null ? null : assets.find(order.payment.currency),
        deposits: liveDeposits(order, byOrder.get(order.id) ?? []),
        unconfirmed: unconfirmed.filter(
          ({ orderId, chain, currency }) =>
            orderId === order.id && chain === order.payment?.chain && currency === order.payment.currency,
        ),
        lastMove: BY_LAST_MOVE.includes(order.status) ? await this.#lastMove(order.id) : null,
        url: queries.invoiceUrl(order),
      })),
    );
  }

  async #lastMove(id: OrderId): Promise<OrderHistoryEntry | null> {
    const history = await this.#deps.storage.orders.history(id);
    return history.findLast(({ from, to }) => from !== to) ?? null;
  }
}

/** The shop's number of an order, or its merchant reference. */
export function referenceOf({ order, shop }: Pick<ShopOrderView, 'order' | 'shop'>): string | null {
  return shop?.reference ?? order.merchantReference;
}

function emptyShopOrder({ id: orderId, accountId }: Order): ShopOrder {
  return { orderId, accountId, reference: null, metadata: '{}', checkout: '{}', coins: null, archivedAt: null };
}
