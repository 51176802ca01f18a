import type { AddressPool } from '../deposits/address-pool.ts';
import type { Asset, AssetCatalogue, ChainCode } from '../kernel/asset.ts';
import { invalidField, isTillgateError, TillgateError } from '../kernel/errors.ts';
import { findFiat } from '../kernel/fiat.ts';
import { present } from '../kernel/guard.ts';
import type { ChainRegistry } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { DepositAddress } from '../ports/order-store.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { RateBook } from '../rates/rate-book.ts';
import { isOwnAddress } from '../wallets/own-address.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from './order.ts';

/** A coin the payer can choose, and what the order costs in it now. */
export interface PaymentOption {
  readonly asset: Asset;
  readonly units: bigint;
}

/** What {@link ChoosePayment} needs. */
export interface ChoosePaymentDeps {
  readonly storage: Pick<Storage, 'orders' | 'deposits' | 'transaction'>;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly rates: RateBook;
  readonly addresses: AddressPool;
  readonly clock: Clock;
}

/** The payer's part of a hosted order: choosing the coin, and leaving the address of a refund. */
export class ChoosePayment {
  readonly #deps: ChoosePaymentDeps;

  constructor(deps: ChoosePaymentDeps) {
    this.#deps = deps;
  }

  /** The coins of this installation with the order's amount in each; one without a rate now is left out. */
  async options(order: Order): Promise<readonly PaymentOption[]> {
    const { assets, rates } = this.#deps;
    const fiat = present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`);
    const options: PaymentOption[] = [];
    for (const asset of assets.enabled()) {
      try {
        const { units } = await rates.quote(asset, fiat, order.vsPrice, order.fixedEncryptPrice);
        options.push({ asset, units });
      } catch (error) {
        if (!isTillgateError(error, 'NOT_READY')) throw error;
      }
    }
    return options;
  }

  /**
   * Chooses the coin of a hosted order and fixes its rate; it may be chosen anew until a payment was seen. An order has
   * one address on each chain, so that a payment to an earlier choice still finds it.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `NOT_READY` (no rate), `STATE_CONFLICT` (seen, expired, not hosted)
   */
  async choose(checkoutToken: string, chain: string, currency: string): Promise<Order> {
    const { storage, assets, rates, clock } = this.#deps;
    const found = await this.#find(checkoutToken);
    const asset = assets.require(chain, currency);
    requireChoosable(found, clock.now());
    if (found.payment?.currency === currency && found.payment.chain === chain) return found;
    const fiat = present(findFiat(found.vsCurrency), `fiat ${found.vsCurrency}`);
    const quote = await rates.quote(asset, fiat, found.vsPrice, found.fixedEncryptPrice);
    const spare = await this.#deps.addresses.take(asset.chain);
    let used = false;
    try {
      return await storage.transaction(async (tx) => {
        used = false;
        const order = present(await tx.orders.lock(found.id), `order ${found.id}`);
        requireChoosable(order, clock.now());
        if ((await tx.deposits.byOrder(order.id)).length > 0) {
          throw new TillgateError('STATE_CONFLICT', 'A payment was seen already; the coin cannot be changed any more.');
        }
        const address = await this.#addressOf(tx, order, asset, spare);
        used = address === spare;
        const at = clock.now();
        const payment: OrderPayment = { chain, currency, units: quote.units, address: address.address, rate: quote.rate, chosenAt: at };
        await tx.orders.update(order.id, { payment, updatedAt: at });
        await tx.orders.addHistory(chosenEntry(order, payment));
        return { ...order, payment, updatedAt: at };
      });
    } finally {
      if (!used) this.#deps.addresses.giveBack(spare);
    }
  }

  /**
   * Remembers where the payer wants a refund.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` (no coin yet, already refunded), `INVALID_FIELDS` (no address of the chain)
   */
  async setRefundAddress(checkoutToken: string, address: string): Promise<void> {
    const { storage, clock } = this.#deps;
    const found = await this.#find(checkoutToken);
    const chainCode: ChainCode | undefined = found.payment?.chain;
    const chain = chainCode === undefined ? undefined : this.#deps.chains.get(chainCode);
    if (chain === undefined) throw new TillgateError('STATE_CONFLICT', 'Choose a coin first; a refund goes back in the coin that was paid.');
    const refundAddress = chain.normaliseAddress(address);
    if (refundAddress === null) throw invalidField('address', `must be an address on ${chain.name}`);
    if (await isOwnAddress(chain, refundAddress, storage)) throw invalidField('address', 'must not be an address of this till');
    await storage.transaction(async (tx) => {
      const order = present(await tx.orders.lock(found.id), `order ${found.id}`);
      if (order.status === 'REFUNDED') throw new TillgateError('STATE_CONFLICT', 'This order was refunded already.');
      const at = clock.now();
      await tx.orders.update(order.id, { refundAddress, updatedAt: at });
      await tx.orders.addHistory({
        orderId: order.id,
        at,
        from: order.status,
        to: order.status,
        rule: 'refund-address',
        inputs: { address: refundAddress },
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
      await tx.orders.addAddress(order.id, spare, asset.currency, order.watchUntil);
      return spare;
    }
    await tx.orders.setAddressCurrency(order.id, asset.chain, asset.currency);
    return existing;
  }
}

function requireChoosable(order: Order, now: number): void {
  if (order.platform !== 'CHECKOUT') throw new TillgateError('STATE_CONFLICT', 'The coin of this order is fixed.');
  if (order.status !== 'PENDING' || now >= order.expiresAt) {
    throw new TillgateError('STATE_CONFLICT', 'The time to pay this order is over; ask the shop for a new one.');
  }
}

function chosenEntry(order: Order, payment: OrderPayment): OrderHistoryEntry {
  return {
    orderId: order.id,
    at: payment.chosenAt,
    from: order.status,
    to: order.status,
    rule: 'payment-chosen',
    inputs: { chain: payment.chain, currency: payment.currency, units: payment.units.toString(), address: payment.address },
    rate: payment.rate,
  };
}
