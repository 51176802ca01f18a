import type { Principal } from '../access/index.ts';
import {
  compareDecimals,
  hex,
  invalidField,
  isDecimal,
  LIGHTNING_ASSET,
  present,
  readDecimal,
  requireFiat,
  TillgateError,
} from '../kernel/index.ts';
import type {
  Asset,
  AssetCatalogue,
  Clock,
  Decimal,
  EventBus,
  Fiat,
  IdempotencyClaim,
  IdGenerator,
  Metrics,
  Millis,
  OrderId,
  Random,
  Storage,
} from '../kernel/index.ts';
import type { LinkPlace, NewOrder, PlaceRefusal } from './order-store.ts';
import type { NewShopOrder } from './shop-order.ts';
import type { DepositAddress } from '../chain/index.ts';
import type { RateBook } from '../ledger/index.ts';
import { DepositAddressAllocator, memoOf } from './deposit-address-allocator.ts';
import type { AllocatorDeps } from './deposit-address-allocator.ts';
import { requireWorthSpending } from './least-amount.ts';
import { withDefaults } from './order.ts';
import type { NewOrderInput, Order, OrderPayment, OrderType, Platform } from './order.ts';
import { acceptedTerms } from './order-terms.ts';
import type { OrderTerms } from './order-terms.ts';
import type { OrderQuota } from './order-quota.ts';
import { priceUnits } from './price-units.ts';
import type { OrderSettings } from './order-settings.ts';

/** The input of an order in a given coin. */
export interface CoinOrderInput extends NewOrderInput {
  readonly chain: string;
  readonly currency: string;
  readonly vsCurrency: string;
  readonly vsPrice: Decimal;
}

/** A hosted page: the payer chooses the coin. */
export interface HostedOrderInput extends NewOrderInput {
  readonly vsCurrency: string;
  readonly vsPrice: Decimal;
}

/** An order that a person creates, in a given coin, or in one that the payer chooses. */
export interface OrderByHandInput extends HostedOrderInput {
  readonly coin: { readonly chain: string; readonly currency: string } | null;
}

/** An order, and whether an earlier identical request created it. */
export interface MadeOrder {
  readonly order: Order;
  readonly repeated: boolean;
}

/** A hosted page for a visitor of a payment link. */
export interface LinkOrderInput extends HostedOrderInput {
  readonly place: LinkPlace;
  /** The beginning of the merchant reference, followed by the order's id; `null` for no reference. */
  readonly referencePrefix: string | null;
}

/** An order that a shop system makes, in its coin where it names only one. */
export interface ShopOrderInput extends HostedOrderInput {
  readonly shop: NewShopOrder;
  /** The links of the order, which may name it by the token of its page; in place of `links`. */
  readonly linksOf?: (token: string) => NonNullable<NewOrderInput['links']>;
}

/** An order of a payment link, or the reason why the link has no place for it. */
export type LinkOrderResult = MadeOrder | { readonly refused: PlaceRefusal };

/** An order on Lightning: its rate floats and its callbacks are GET. */
export interface LightningOrderInput extends Omit<NewOrderInput, 'fixedEncryptPrice' | 'enablePostCallback'> {
  readonly vsCurrency: string;
  readonly vsPrice: Decimal;
}

export interface CreateOrderDeps extends AllocatorDeps {
  readonly storage: Pick<Storage, 'orders'>;
  readonly assets: AssetCatalogue;
  readonly rates: RateBook;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly random: Random;
  readonly events: EventBus;
  readonly metrics: Metrics;
  /** None by default. */
  readonly quota?: OrderQuota;
  readonly settings: OrderSettings;
}

interface Price {
  readonly fiat: Fiat;
  readonly units: bigint;
}

/** The kind of an order, which the operation determines and not the merchant's input. */
interface OrderKind {
  readonly type: OrderType;
  readonly hosted: boolean;
  readonly platform: Platform;
  readonly now: Millis;
  readonly terms: OrderTerms;
  readonly link?: Pick<LinkOrderInput, 'place' | 'referencePrefix'>;
  readonly shop?: Pick<ShopOrderInput, 'shop' | 'linksOf'>;
}

/** Who besides the merchant gives the terms of an order. */
type OrderSource = Pick<OrderKind, 'link' | 'shop'>;

/** Thrown when a link has no place for the order to store. */
class NoPlace extends Error {
  readonly why: PlaceRefusal;

  constructor(why: PlaceRefusal) {
    super(why);
    this.why = why;
  }
}

const TOKEN_BYTES = 16;

/** Creates orders; returns once the order is durable. */
export class CreateOrder {
  readonly #deps: CreateOrderDeps;
  readonly #allocator: DepositAddressAllocator;
  readonly #min: Decimal;
  readonly #max: Decimal;

  constructor(deps: CreateOrderDeps) {
    this.#deps = deps;
    this.#allocator = new DepositAddressAllocator(deps);
    this.#min = present(readDecimal(deps.settings.min), 'orders.min');
    this.#max = present(readDecimal(deps.settings.max), 'orders.max');
  }

  /**
   * Creates an order with its coin, its rate and its own address.
   *
   * @throws TillgateError `INVALID_FIELDS`, `UNSUPPORTED`, `AMOUNT_OUT_OF_RANGE`, `NOT_READY` (no rate),
   *   `STATE_CONFLICT` (another order has its reference), `IDEMPOTENCY_MISMATCH`
   */
  async inCoin(
    principal: Principal,
    input: CoinOrderInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<Order> {
    return (await this.#inCoin(principal, input, 'API', idempotency)).order;
  }

  /**
   * Creates an order on Lightning: its address is the payment request of an invoice that expires with it. Callbacks are
   * GET.
   *
   * @throws TillgateError as {@link inCoin}; `NODE_FAILED` when no invoice can be created
   */
  async lightning(
    principal: Principal,
    input: LightningOrderInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<Order> {
    const { chain, currency } = LIGHTNING_ASSET;
    const body = { ...input, chain, currency, fixedEncryptPrice: false, enablePostCallback: false };
    return (await this.#inCoin(principal, body, 'API', idempotency)).order;
  }

  /**
   * Creates an order with a hosted checkout: the coin, its rate and the address follow when the payer chooses.
   *
   * @throws TillgateError as {@link inCoin}
   */
  async hosted(
    principal: Principal,
    input: HostedOrderInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<Order> {
    return (await this.#hosted(principal, input, 'CHECKOUT', idempotency)).order;
  }

  /**
   * Creates an order that a person requests, in the given coin, otherwise with a hosted checkout.
   *
   * @throws TillgateError as {@link inCoin} and {@link lightning}
   */
  byHand(
    principal: Principal,
    { coin, ...input }: OrderByHandInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<MadeOrder> {
    return coin === null
      ? this.#hosted(principal, input, 'DASHBOARD', idempotency)
      : this.#inCoin(principal, { ...input, ...coin }, 'DASHBOARD', idempotency);
  }

  /**
   * Creates an order that a program requests, in the given coin, otherwise with a hosted checkout.
   *
   * @throws TillgateError as {@link inCoin} and {@link lightning}
   */
  async byProgram(
    principal: Principal,
    { coin, ...input }: OrderByHandInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<Order> {
    return coin === null
      ? this.hosted(principal, input, idempotency)
      : this.inCoin(principal, { ...input, ...coin }, idempotency);
  }

  /**
   * Creates an order of a payment link, stored only if the link is unchanged since it was read and has a place for it.
   *
   * @throws TillgateError as {@link inCoin}
   */
  async ofLink(
    principal: Principal,
    { place, referencePrefix, ...input }: LinkOrderInput,
    idempotency: IdempotencyClaim,
  ): Promise<LinkOrderResult> {
    const link = { place, referencePrefix };
    try {
      const { linkId } = place;
      return await this.#hosted(principal, { ...input, linkId }, 'CHECKOUT', idempotency, { link });
    } catch (error) {
      if (error instanceof NoPlace) return { refused: error.why };
      throw error;
    }
  }

  /**
   * Creates an order of a shop system: in its coin where the shop names only one, otherwise with a hosted checkout.
   *
   * @throws TillgateError as {@link inCoin} and {@link lightning}
   */
  async ofShop(
    principal: Principal,
    { shop: kept, linksOf, ...input }: ShopOrderInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<Order> {
    const shop = { shop: kept, ...(linksOf !== undefined && { linksOf }) };
    const only = kept.coins?.length === 1 ? this.#deps.assets.find(present(kept.coins[0], 'the only coin')) : null;
    const { order } =
      only === null
        ? await this.#hosted(principal, input, 'CHECKOUT', idempotency, { shop })
        : await this.#inCoin(principal, { ...input, ...only }, 'CHECKOUT', idempotency, { shop });
    return order;
  }

  async #hosted(
    principal: Principal,
    input: HostedOrderInput,
    platform: Platform,
    idempotency: IdempotencyClaim | null,
    source: OrderSource = {},
  ): Promise<MadeOrder> {
    const terms = acceptedTerms(input, this.#deps.settings);
    const fiat = requireFiat(input.vsCurrency);
    const price = { fiat, units: requirePrice(input.vsPrice, fiat) };
    await this.#checkLimits(price);
    const kind: OrderKind = { type: 'ORDER', hosted: true, platform, now: this.#deps.clock.now(), terms, ...source };
    return this.#admit(principal, () => this.#store(principal, input, price, kind, null, idempotency));
  }

  async #inCoin(
    principal: Principal,
    input: CoinOrderInput,
    platform: Platform,
    idempotency: IdempotencyClaim | null,
    source: OrderSource = {},
  ): Promise<MadeOrder> {
    const { assets, rates, clock, quota, settings } = this.#deps;
    const terms = acceptedTerms(input, settings);
    const fiat = requireFiat(input.vsCurrency);
    const price = { fiat, units: requirePrice(input.vsPrice, fiat) };
    const asset: Asset = assets.require(input.chain, input.currency);
    await this.#checkLimits(price);
    const { units, rate } = await rates.quote(asset, fiat, price.units, input.fixedEncryptPrice ?? false);
    requireWorthSpending(asset, units);
    return this.#admit(principal, async () => {
      quota?.takeAddress(principal.accountId);
      const now = clock.now();
      const address = await this.#allocator.take(asset, {
        units,
        memo: memoOf(price.fiat, price.units),
        expiresAt: now + terms.timeoutMs,
      });
      const { chain, currency } = asset;
      const payment = { chain, currency, units, address: address.address, rate, chosenAt: now };
      const type = chain === LIGHTNING_ASSET.chain ? 'INVOICE' : 'ORDER';
      const kind: OrderKind = { type, hosted: false, platform, now, terms, ...source };
      return this.#store(principal, input, price, kind, { payment, address }, idempotency);
    });
  }

  #admit({ accountId }: Principal, create: () => Promise<MadeOrder>): Promise<MadeOrder> {
    return this.#deps.quota?.withOrder(accountId, create) ?? create();
  }

  async #checkLimits(price: Price): Promise<void> {
    const worth = await this.#deps.rates.usdWorth(price.fiat, price.units);
    if (compareDecimals(worth, this.#min) >= 0 && compareDecimals(worth, this.#max) <= 0) return;
    const { min, max } = this.#deps.settings;
    throw new TillgateError('AMOUNT_OUT_OF_RANGE', `An order must be worth between ${min} and ${max} US dollars.`);
  }

  async #store(
    principal: Principal,
    options: NewOrderInput,
    price: Price,
    kind: OrderKind,
    pay: { payment: OrderPayment; address: DepositAddress } | null,
    idempotency: IdempotencyClaim | null,
  ): Promise<MadeOrder> {
    const { storage, events, metrics } = this.#deps;
    const order = this.#newOrder(principal, options, price, kind, pay?.payment ?? null);
    const depositAddress = pay?.address ?? null;
    const place = kind.link === undefined ? {} : { place: kind.link.place };
    const { id: orderId, accountId } = order;
    const shop = kind.shop === undefined ? {} : { shop: { ...kind.shop.shop, orderId, accountId, archivedAt: null } };
    const { hasWebhooks = true } = principal;
    const result = await storage.orders.create({ order, depositAddress, idempotency, hasWebhooks, ...place, ...shop });
    if (result.kind === 'created') {
      metrics.count('tillgate_orders_total', { status: 'PENDING' });
      events.emit('order.created', { orderId: result.order.id, accountId: principal.accountId });
      return { order: result.order, repeated: false };
    }
    if (pay !== null) this.#allocator.giveBack(pay.address);
    if (result.kind === 'no-place') throw new NoPlace(result.why);
    if (result.kind === 'reference-taken')
      throw new TillgateError('STATE_CONFLICT', `Order ${result.orderId} has this merchant reference already.`);
    if (idempotency?.bodyHash !== result.bodyHash) {
      throw new TillgateError(
        'IDEMPOTENCY_MISMATCH',
        'This Idempotency-Key was used before with another body; send a new key with a new request.',
      );
    }
    return { order: present(await storage.orders.find(result.orderId), `order ${result.orderId}`), repeated: true };
  }

  #newOrder(
    principal: Principal,
    options: NewOrderInput,
    price: Price,
    { type, hosted, platform, now, terms, link, shop }: OrderKind,
    payment: OrderPayment | null,
  ): NewOrder['order'] {
    const { ids, random, settings } = this.#deps;
    const id = ids.next() as OrderId;
    const prefix = link?.referencePrefix ?? null;
    const token = hex(random.bytes(TOKEN_BYTES));
    const links = shop?.linksOf?.(token);
    const named = {
      ...options,
      ...(prefix === null ? {} : { merchantReference: `${prefix}${id}` }),
      ...(links === undefined ? {} : { links }),
    };
    return {
      id,
      accountId: principal.accountId,
      credentialId: principal.credentialId,
      type,
      platform,
      hosted,
      status: 'PENDING',
      vsCurrency: price.fiat.code,
      vsPrice: price.units,
      payment,
      received: 0n,
      ...withDefaults(named),
      checkoutToken: token,
      toleranceBps: terms.toleranceBps,
      createdAt: now,
      updatedAt: now,
      expiresAt: now + terms.timeoutMs,
      watchUntil: now + terms.timeoutMs + settings.watchMs,
      reorgedAt: null,
      refundAddress: null,
      refundAddressAt: null,
      refundBrowser: null,
    };
  }
}

function requirePrice(price: Decimal, fiat: Fiat): bigint {
  // A caller in plain JavaScript may pass a value of another type.
  if (!isDecimal(price)) throw invalidField('vsPrice', "must be a Decimal, such as readDecimal('12.50')");
  return priceUnits('vsPrice', price, fiat);
}
