import { checkPage, isId, LIGHTNING_ASSET, partOf, present, TillgateError } from '../kernel/index.ts';
import type {
  AccountId,
  AssetCatalogue,
  Clock,
  Millis,
  OrderId,
  Page,
  PageRequest,
  Storage,
  ListPart,
} from '../kernel/index.ts';
import type { PaymentLink } from './payment-link.ts';
import { merchantAccount } from '../ledger/index.ts';
import type { ChainRegistry } from '../chain/index.ts';
import type { OrderPosition } from './order-store.ts';
import type { TransactionView } from '../ledger/index.ts';
import { checkoutView, emptyView } from './checkout-view.ts';
import type { CheckoutView, PaymentPlace } from './checkout-view.ts';
import { formerChoice } from './former-choice.ts';
import { groupByOrder } from './group-by-order.ts';
import { orderSearch } from './order-search.ts';
import type { OrderFilter } from './order-search.ts';
import { orderDetailView, orderView, payInfoView } from './order-view.ts';
import type { ListedOrderView, OrderDetailView, OrderView, PayInfoView } from './order-view.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from './order.ts';
import { NO_REFUNDS, orderRefunds, refundsOfOrders } from './order-refunds.ts';
import type { OrderRefunds } from './order-refunds.ts';
import type { RefundMeans } from './refundable.ts';
import type { OrderSettings } from './order-settings.ts';

export interface OrderQueriesDeps {
  readonly storage: Pick<
    Storage,
    'orders' | 'deposits' | 'unconfirmedPayments' | 'chains' | 'ledger' | 'transfers' | 'pullPayments'
  >;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly clock: Clock;
  readonly settings: Pick<OrderSettings, 'pageMax'>;
  /** How long refunds to an address entered after the payment was seen are refused, in milliseconds; 0 for no delay. */
  readonly refundHoldMs?: Millis;
  /** The base URL for payers, without a slash at the end. */
  readonly baseUrl: string;
}

/** The reads of merchants and payers. */
export class OrderQueries {
  readonly #deps: OrderQueriesDeps;

  constructor(deps: OrderQueriesDeps) {
    this.#deps = deps;
  }

  /** An account's orders, newest first. @throws TillgateError `INVALID_FIELDS` for a page out of range */
  async list(accountId: AccountId, page: PageRequest): Promise<Page<OrderView>> {
    const { storage, assets, settings, chains } = this.#deps;
    checkPage(page, settings.pageMax);
    const orders = await storage.orders.list(accountId, page);
    const paid = orders.items.filter(({ received }) => received > 0n).map(({ id }) => id);
    if (paid.length === 0)
      return { ...orders, items: orders.items.map((order) => orderView(order, [], NO_MEANS, assets, chains)) };
    const deposits = groupByOrder(await storage.deposits.byOrders(paid));
    const means = await this.#refundMeans(accountId, orders.items);
    return {
      ...orders,
      items: orders.items.map((order) => orderView(order, deposits.get(order.id) ?? [], means(order), assets, chains)),
    };
  }

  /** One order of the account. @throws TillgateError `NOT_FOUND`, also for an order of another account */
  async detail(accountId: AccountId, orderId: string): Promise<OrderDetailView> {
    const { storage, assets } = this.#deps;
    const order = isId(orderId) ? await storage.orders.find(orderId as OrderId) : null;
    if (order === null || order.accountId !== accountId)
      throw new TillgateError('NOT_FOUND', 'There is no such order.');
    const deposits = await storage.deposits.byOrder(order.id);
    const means = order.received === 0n ? NO_MEANS : (await this.#refundMeans(accountId, [order]))(order);
    return orderDetailView(order, deposits, means, assets, this.#deps.chains);
  }

  /** An account's transactions, newest first. @throws TillgateError `INVALID_FIELDS` for a page out of range */
  async transactions(accountId: AccountId, page: PageRequest): Promise<Page<TransactionView>> {
    const { storage, assets, settings } = this.#deps;
    checkPage(page, settings.pageMax);
    const rows = await storage.deposits.transactions(accountId, page);
    return {
      ...rows,
      items: rows.items.map((transaction) => ({
        transaction,
        asset: present(assets.find(transaction.currency), `asset ${transaction.currency}`),
      })),
    };
  }

  /**
   * Orders of an account, or of all, newest first, for the management API; `next` is the start of the next page.
   *
   * @throws TillgateError `INVALID_FIELDS` for a range that is empty
   */
  async search(
    accountId: AccountId | null,
    filter: OrderFilter,
    page: { readonly limit: number; readonly after: OrderPosition | null },
  ): Promise<ListPart<ListedOrderView, OrderPosition>> {
    const { limit } = page;
    const search = orderSearch(accountId, filter, { ...page, limit: limit + 1 }, this.#deps);
    const found = search === null ? [] : await this.#deps.storage.orders.search(search);
    const { items, next } = partOf(found, limit, ({ createdAt, id }) => ({ createdAt, id }));
    const refunds = await this.#refunds(items);
    return { items: items.map((order) => this.#listed(order, refunds(order))), next };
  }

  /** An order as lists of the management API show it. */
  async listed(order: Order): Promise<ListedOrderView> {
    return this.#listed(order, (await this.#refunds([order]))(order));
  }

  #listed(order: Order, refunds: OrderRefunds): ListedOrderView {
    const { assets } = this.#deps;
    const { payment } = order;
    return {
      order,
      asset: payment === null ? null : assets.find(payment.currency),
      chainName: payment === null ? '' : assets.chainName(payment.chain),
      refunds,
      payUrl: this.payUrl(order),
    };
  }

  /** The refunds of each of these orders, in one read for all of them. */
  async #refunds(orders: readonly Order[]): Promise<(order: Pick<Order, 'id'>) => OrderRefunds> {
    // Only a PENDING order cannot have a refund: what was received of another may be removed by a reorganisation.
    const ids = orders.filter(({ status }) => status !== 'PENDING').map(({ id }) => id);
    const refunds = ids.length === 0 ? [] : await refundsOfOrders(this.#deps.storage, ids);
    const byOrder = groupByOrder(refunds);
    return ({ id }) => orderRefunds(byOrder.get(id) ?? []);
  }

  /** The direct payment information of an order. */
  payInfo(order: Order): PayInfoView {
    return payInfoView(order, this.#deps.assets, this.#deps.chains, this.payUrl(order));
  }

  /** The host name of the till's URL, with its port where it has one. */
  siteName(): string {
    return /^https?:\/\/([^/]+)/.exec(this.#deps.baseUrl)?.[1] ?? '';
  }

  /** The URL of an order's payer's page. */
  payUrl(order: Order): string {
    return `${this.#deps.baseUrl}/checkout/${order.checkoutToken}`;
  }

  /** The URL that a shop gives its payer; it leads to the payer's page. */
  invoiceUrl({ checkoutToken }: Pick<Order, 'checkoutToken'>): string {
    return `${this.#deps.baseUrl}/i/${checkoutToken}`;
  }

  /** The URL of a payment link's page. */
  linkUrl({ token }: Pick<PaymentLink, 'token'>): string {
    return `${this.#deps.baseUrl}/l/${token}`;
  }

  /** The URL of a pull payment's claim page. */
  claimUrl({ token }: { readonly token: string }): string {
    return `${this.#deps.baseUrl}/claim/${token}`;
  }

  /** Each change of an order with its rule, inputs and rate, the creation first; `null` for an unknown order. */
  async history(orderId: string): Promise<{ order: Order; entries: readonly OrderHistoryEntry[] } | null> {
    const order = isId(orderId) ? await this.#deps.storage.orders.find(orderId as OrderId) : null;
    if (order === null) return null;
    const stored = await this.#deps.storage.orders.history(order.id);
    return { order, entries: [createdEntry(order), ...stored.map((entry) => withRate(entry, order))] };
  }

  /** The data of the payer's page. @throws TillgateError `NOT_FOUND` */
  async checkout(token: string): Promise<CheckoutView> {
    const { storage } = this.#deps;
    const order = await storage.orders.findByCheckoutToken(token);
    if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
    const place = order.payment === null ? null : await this.#place(order, order.payment);
    if (place === null) return emptyView(order);
    const deposits = await storage.deposits.byOrder(order.id);
    const unconfirmed = await storage.unconfirmedPayments.live([order.id]);
    const gone = deposits.length + unconfirmed.length === 0 && (await this.#hasGone(order));
    return checkoutView(order, place, { deposits, unconfirmed, gone }, this.#deps.assets, this.#deps.clock.now());
  }

  /** Whether an unconfirmed payment was replaced, or its coins were spent elsewhere. */
  async #hasGone({ id, payment }: Order): Promise<boolean> {
    if (payment === null || this.#deps.chains.get(payment.chain)?.mempool === undefined) return false;
    const seen = await this.#deps.storage.unconfirmedPayments.ofChain(payment.chain);
    return seen.some(({ orderId, status }) => orderId === id && status === 'GONE');
  }

  async #place(order: Order, { chain: code, currency, units, address }: OrderPayment): Promise<PaymentPlace | null> {
    const { chains, storage } = this.#deps;
    // An invoice needs no confirmations: a settled one is paid.
    if (code === LIGHTNING_ASSET.chain)
      return { height: 0, contractAddr: '', required: 0, invoice: null, uri: () => `lightning:${address}` };
    const chain = chains.get(code);
    if (chain === undefined) return null;
    const height = (await storage.chains.state(code))?.cursor?.height ?? 0;
    const invoice = currency === 'BTC' && order.status === 'PENDING' ? await this.#companion(order) : null;
    const uri = (due: bigint): string => {
      const plain = chain.paymentUri({ address, currency, units: due });
      // BIP-21 wallets with Lightning pay the invoice, the others the address. An invoice is always for the whole
      // amount.
      return invoice === null || due !== units
        ? plain
        : `${plain}${plain.includes('?') ? '&' : '?'}lightning=${invoice}`;
    };
    return {
      height,
      contractAddr: chain.contractAddress(currency),
      required: chain.policy.confirmations(currency, units),
      invoice,
      uri,
    };
  }

  /** The invoice that a Bitcoin order has too; `null` without a Lightning node. */
  async #companion({ id, hosted }: Order): Promise<string | null> {
    if (!hosted || !this.#deps.assets.enabled().some(({ currency }) => currency === LIGHTNING_ASSET.currency))
      return null;
    const { chain, currency } = LIGHTNING_ASSET;
    return formerChoice(await this.#deps.storage.orders.history(id), chain, currency)?.address ?? null;
  }

  /** The facts on which a refund of each of these orders depends, in four reads for all of them. */
  async #refundMeans(accountId: AccountId, orders: readonly Order[]): Promise<(order: Order) => RefundMeans> {
    const { storage, clock, refundHoldMs: holdMs = 0 } = this.#deps;
    const [balances, immovable, refunds, freeze] = await Promise.all([
      storage.ledger.balances(merchantAccount(accountId, 'available')),
      storage.transfers.frozenOf(accountId),
      this.#refunds(orders),
      storage.transfers.freeze(accountId),
    ]);
    const [frozen, now] = [freeze !== null, clock.now()];
    // Frozen coins are part of the balance, and cannot pay.
    const available = new Map(
      balances.map(({ currency, units }) => [currency, units - (immovable.get(currency) ?? 0n)]),
    );
    return ({ id, payment }) => ({
      refunds: refunds({ id }),
      available: payment === null ? 0n : (available.get(payment.currency) ?? 0n),
      ...{ frozen, holdMs, now },
    });
  }
}

const NO_MEANS: RefundMeans = { refunds: NO_REFUNDS, available: 0n, frozen: false, holdMs: 0, now: 0 };

/** The first entry of an order's history, derived from the order itself, so that creating one writes no second row. */
function createdEntry(order: Order): OrderHistoryEntry {
  const atOnce = order.payment !== null && !order.hosted ? order.payment : null;
  return {
    orderId: order.id,
    at: order.createdAt,
    from: null,
    to: 'PENDING',
    rule: 'created',
    inputs: {
      vsPrice: order.vsPrice.toString(),
      vsCurrency: order.vsCurrency,
      chain: atOnce?.chain ?? null,
      currency: atOnce?.currency ?? null,
      due: atOnce?.units.toString() ?? null,
      deadline: order.expiresAt,
    },
    rate: atOnce?.rate ?? null,
  };
}

function withRate(entry: OrderHistoryEntry, { payment }: Order): OrderHistoryEntry {
  const isMove = entry.from !== entry.to;
  return isMove && entry.rate === null ? { ...entry, rate: payment?.rate ?? null } : entry;
}
