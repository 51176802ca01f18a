import {
  findFiat,
  invalidField,
  isDust,
  isTillgateError,
  LIGHTNING_ASSET,
  present,
  TillgateError,
} from '../kernel/index.ts';
import type { Asset, AssetCatalogue, ChainCode, Clock, Storage, Transaction } from '../kernel/index.ts';
import type { InvoiceTerms } from './invoices.ts';
import type { ChainRegistry, DepositAddress } from '../chain/index.ts';
import type { RateBook } from '../ledger/index.ts';
import { requirePayableAddress } from '../chain/index.ts';
import { formerChoice } from './former-choice.ts';
import { DepositAddressAllocator, memoOf } from './deposit-address-allocator.ts';
import type { AllocatorDeps } from './deposit-address-allocator.ts';
import { requireWorthSpending } from './least-amount.ts';
import type { OrderQuota } from './order-quota.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from './order.ts';

/** A coin that the payer can choose, with the order's present price in it. */
export interface PaymentOption {
  readonly asset: Asset;
  readonly units: bigint;
}

export interface ChoosePaymentDeps extends AllocatorDeps {
  readonly storage: Pick<Storage, 'orders' | 'deposits' | 'links' | 'shopOrders' | 'transfers' | 'transaction'>;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly rates: RateBook;
  /** None by default. */
  readonly quota?: OrderQuota;
  readonly clock: Clock;
}

/** The payer's part of a hosted order: choosing the coin, and leaving a refund address. */
export class ChoosePayment {
  readonly #deps: ChoosePaymentDeps;
  readonly #allocator: DepositAddressAllocator;

  constructor(deps: ChoosePaymentDeps) {
    this.#deps = deps;
    this.#allocator = new DepositAddressAllocator(deps);
  }

  /**
   * The coins of this installation with the order's amount in each, without coins that have no rate now and amounts
   * that would be dust.
   */
  async options(order: Order): Promise<readonly PaymentOption[]> {
    const { assets, rates } = this.#deps;
    const fiat = present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`);
    const options: PaymentOption[] = [];
    const offered = await this.#offeredBy(order);
    const history = order.payment === null ? [] : await this.#deps.storage.orders.history(order.id);
    for (const asset of assets.enabled().filter(offered)) {
      try {
        const quote = await rates.quote(asset, fiat, order.vsPrice, order.fixedEncryptPrice);
        const { units } = dearerQuote(asset, quote, formerChoice(history, asset.chain, asset.currency));
        if (!isDust(asset, units)) options.push({ asset, units });
      } catch (error) {
        if (!isTillgateError(error, 'NOT_READY')) throw error;
      }
    }
    return options;
  }

  /**
   * Chooses the coin of a hosted order and fixes its rate; the choice can be changed until a payment was seen, also an
   * unconfirmed one. A coin that was chosen before keeps its quote, or gets a new one if that is higher: otherwise a
   * payer could switch back and forth until the rate is favourable. An order has one address on each chain, so that a
   * payment to an earlier choice still arrives. An invoice contains its amount, so choosing Lightning again returns the
   * same invoice at its rate. With Bitcoin the payer gets an invoice too, for wallets that read both from one URI; a
   * payment of it counts as choosing Lightning.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `AMOUNT_OUT_OF_RANGE` (dust), `NOT_READY` (no rate),
   *   `STATE_CONFLICT` (seen, expired, not hosted), `NODE_FAILED` (no invoice)
   */
  async choose(checkoutToken: string, chain: string, currency: string): Promise<Order> {
    const { assets, clock } = this.#deps;
    const found = await this.#find(checkoutToken);
    const asset = assets.require(chain, currency);
    requireChoosable(found, clock.now());
    const offered = await this.#offeredBy(found);
    if (!offered(asset)) throw new TillgateError('UNSUPPORTED', `${currency} is not offered for this order.`);
    if (found.payment?.currency === currency && found.payment.chain === chain) return found;
    const invoice = this.#allocator.lightning ? await this.#formerInvoice(found) : null;
    if (invoice !== null && chain === LIGHTNING_ASSET.chain)
      return this.#settleChoice(found, asset, async () => invoice);
    const quote = await this.#quote(found, asset);
    requireWorthSpending(asset, quote.units);
    const spare = await this.#allocator.take(asset, termsOf(found, quote.units));
    const companion =
      asset.currency === 'BTC' && this.#allocator.lightning && invoice === null && offered(LIGHTNING_ASSET)
        ? await this.#companion(found)
        : null;
    let used = false;
    try {
      return await this.#settleChoice(found, asset, async (tx, order) => {
        if (companion !== null) await this.#addCompanion(tx, order, companion);
        const address = await this.#addressOf(tx, order, asset, spare);
        used = address === spare;
        if (used) this.#deps.quota?.takeAddress(order.accountId);
        const former = formerChoice(await tx.orders.history(order.id), chain, currency);
        return { chain, currency, address: address.address, ...dearerQuote(asset, quote, former) };
      });
    } finally {
      if (!used) this.#allocator.giveBack(spare);
    }
  }

  /** Whether the order's payment link, or the shop that made the order, offers a coin; both may offer only some. */
  async #offeredBy({ id, linkId }: Order): Promise<(asset: Asset) => boolean> {
    const { links, shopOrders } = this.#deps.storage;
    const source = linkId === null ? await shopOrders.find(id) : await links.find(linkId);
    const coins = source?.coins ?? null;
    return ({ currency }) => coins === null || coins.includes(currency);
  }

  #settleChoice(
    found: Order,
    { chain, currency }: Asset,
    choose: (tx: Transaction, order: Order) => Promise<Omit<OrderPayment, 'chosenAt'>>,
  ): Promise<Order> {
    const { storage, clock } = this.#deps;
    return storage.transaction(async (tx) => {
      const order = present(await tx.orders.lock(found.id), `order ${found.id}`);
      requireChoosable(order, clock.now());
      // A retry of the same request chose it: the payer has already seen its amount.
      if (order.payment?.chain === chain && order.payment.currency === currency) return order;
      if (
        (await tx.deposits.byOrder(order.id)).length > 0 ||
        (await tx.unconfirmedPayments.live(order.id)).length > 0
      ) {
        throw new TillgateError('STATE_CONFLICT', 'A payment was seen already; the coin cannot be changed any more.');
      }
      const at = clock.now();
      const payment: OrderPayment = { ...(await choose(tx, order)), chosenAt: at };
      // A refund address belongs to one chain.
      const keeps = order.payment?.chain === payment.chain;
      const refundAddress = keeps ? order.refundAddress : null;
      const refundBrowser = keeps ? order.refundBrowser : null;
      const refundAddressAt = keeps ? order.refundAddressAt : null;
      const changes = { payment, refundAddress, refundBrowser, refundAddressAt, updatedAt: at };
      await tx.orders.update(order.id, changes);
      await tx.orders.addHistory(chosenEntry(order, payment));
      return { ...order, ...changes };
    });
  }

  #quote(order: Order, asset: Asset): Promise<Pick<OrderPayment, 'units' | 'rate'>> {
    const fiat = present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`);
    return this.#deps.rates.quote(asset, fiat, order.vsPrice, order.fixedEncryptPrice);
  }

  async #formerInvoice({ id }: Order): Promise<OrderPayment | null> {
    const { chain, currency } = LIGHTNING_ASSET;
    return formerChoice(await this.#deps.storage.orders.history(id), chain, currency);
  }

  /** The invoice of a Bitcoin order; `null` when the node cannot create one now, since the address is enough. */
  async #companion(order: Order): Promise<Companion | null> {
    try {
      const { units, rate } = await this.#quote(order, LIGHTNING_ASSET);
      return { units, rate, spare: await this.#allocator.take(LIGHTNING_ASSET, termsOf(order, units)) };
    } catch (error) {
      if (isTillgateError(error, 'NODE_FAILED') || isTillgateError(error, 'NOT_READY')) return null;
      throw error;
    }
  }

  async #addCompanion(tx: Transaction, order: Order, { units, rate, spare }: Companion): Promise<void> {
    const { chain, currency } = LIGHTNING_ASSET;
    const address = await this.#addressOf(tx, order, LIGHTNING_ASSET, spare);
    if (address !== spare) return;
    await tx.orders.addHistory(
      chosenEntry(order, { chain, currency, units, address: spare.address, rate, chosenAt: this.#deps.clock.now() }),
    );
  }

  /**
   * Stores the refund address, once: another person who has the page's URL must not redirect the refund. The browser
   * that entered it may change it until a refund is requested. The merchant can remove it, and choosing another chain
   * removes it too.
   *
   * @param browser - a hash of a value that only this browser has; without it the address cannot be changed later
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` (no coin yet, an address of another browser, a requested
   *   refund), `INVALID_FIELDS` (no address of the chain), `DESTINATION_UNPAYABLE` (the zero address, a token's
   *   contract, an address of the till)
   */
  async setRefundAddress(checkoutToken: string, address: string, browser: string | null = null): Promise<void> {
    const { storage, clock } = this.#deps;
    const found = await this.#find(checkoutToken);
    const chainCode: ChainCode | undefined = found.payment?.chain;
    if (chainCode === LIGHTNING_ASSET.chain)
      throw new TillgateError(
        'STATE_CONFLICT',
        'A Lightning payment cannot be refunded to an address; contact the shop.',
      );
    const chain = chainCode === undefined ? undefined : this.#deps.chains.get(chainCode);
    if (chain === undefined)
      throw new TillgateError('STATE_CONFLICT', 'Choose a coin first; a refund goes back in the coin that was paid.');
    const refund = await storage.transfers.refundOf(found.id);
    if (refund !== null && refund.status !== 'FAILED' && refund.status !== 'CONFIRMED')
      throw new TillgateError('STATE_CONFLICT', 'A refund is on its way; its address cannot be changed any more.');
    const refundAddress = chain.normaliseAddress(address);
    if (refundAddress === null) throw invalidField('address', `must be an address on ${chain.name}`);
    await requirePayableAddress(chain, refundAddress, 'address', storage);
    await storage.transaction(async (tx) => {
      const order = present(await tx.orders.lock(found.id), `order ${found.id}`);
      if (order.refundAddress === refundAddress) return;
      if (order.refundAddress !== null) requireSameBrowser(order, browser);
      if (order.payment?.chain !== chainCode)
        throw new TillgateError('STATE_CONFLICT', 'The coin was changed meanwhile; try again.');
      const at = clock.now();
      const changes = { refundAddress, refundBrowser: browser, refundAddressAt: at, updatedAt: at };
      await tx.orders.update(order.id, changes);
      await tx.orders.addHistory({
        orderId: order.id,
        at,
        from: order.status,
        to: order.status,
        rule: 'refund-address',
        inputs: {
          address: refundAddress,
          ...(order.refundAddress === null ? {} : { former: order.refundAddress }),
        },
        rate: null,
      });
    });
  }

  async #find(checkoutToken: string): Promise<Order> {
    const order = await this.#deps.storage.orders.findByCheckoutToken(checkoutToken);
    if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
    return order;
  }

  async #addressOf(tx: Transaction, order: Order, asset: Asset, spare: DepositAddress): Promise<DepositAddress> {
    const existing = await tx.orders.addressOn(order.id, asset.chain);
    if (existing === null) {
      await tx.orders.addAddress(order.id, spare, asset.currency, {
        watchUntil: order.watchUntil,
        assignedAt: this.#deps.clock.now(),
      });
      return spare;
    }
    await tx.orders.setAddressCurrency(order.id, asset.chain, asset.currency);
    return existing;
  }
}

/** The quote of an order in a coin: the earlier quote, unless a new one is higher. That of an invoice never rises. */
function dearerQuote(
  { chain }: Pick<Asset, 'chain'>,
  quote: Pick<OrderPayment, 'units' | 'rate'>,
  former: OrderPayment | null,
): Pick<OrderPayment, 'units' | 'rate'> {
  if (former === null || (former.units < quote.units && chain !== LIGHTNING_ASSET.chain)) return quote;
  const { units, rate } = former;
  return { units, rate };
}

/** The Lightning invoice of an order in Bitcoin. */
interface Companion {
  readonly units: bigint;
  readonly rate: OrderPayment['rate'];
  readonly spare: DepositAddress;
}

/** @throws TillgateError `STATE_CONFLICT` */
function requireSameBrowser(order: Order, browser: string | null): void {
  if (browser === null || order.refundBrowser !== browser)
    throw new TillgateError(
      'STATE_CONFLICT',
      'The refund address can be changed only in the browser that set it; the merchant can remove it.',
    );
}

function termsOf({ vsPrice, vsCurrency, expiresAt }: Order, units: bigint): InvoiceTerms {
  return { units, memo: memoOf(present(findFiat(vsCurrency), `fiat ${vsCurrency}`), vsPrice), expiresAt };
}

function requireChoosable(order: Order, now: number): void {
  if (!order.hosted) throw new TillgateError('STATE_CONFLICT', 'The coin of this order cannot be changed.');
  if (order.status !== 'PENDING' || now >= order.expiresAt) {
    throw new TillgateError('STATE_CONFLICT', 'The time to pay this order has ended; ask the shop for a new order.');
  }
}

function chosenEntry(order: Order, payment: OrderPayment): OrderHistoryEntry {
  return {
    orderId: order.id,
    at: payment.chosenAt,
    from: order.status,
    to: order.status,
    rule: 'payment-chosen',
    inputs: {
      chain: payment.chain,
      currency: payment.currency,
      units: payment.units.toString(),
      address: payment.address,
    },
    rate: payment.rate,
  };
}
