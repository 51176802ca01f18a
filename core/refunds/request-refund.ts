import type { Principal } from '../auth/principal.ts';
import type { Deposit } from '../deposits/deposit.ts';
import type { Asset, AssetCatalogue } from '../kernel/asset.ts';
import { isTillgateError, stateConflict, TillgateError } from '../kernel/errors.ts';
import { present } from '../kernel/guard.ts';
import { isId } from '../kernel/ids.ts';
import type { AccountId, OrderId, TransferId } from '../kernel/ids.ts';
import { allowsRefund } from '../orders/order-status.ts';
import type { Order, OrderPayment } from '../orders/order.ts';
import { refundDestination } from '../orders/refundable.ts';
import { liveDeposits } from '../orders/settle-order.ts';
import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { IdempotencyClaim } from '../ports/order-store.ts';
import type { Storage } from '../ports/storage.ts';
import { requirePayments } from '../transfers/fee-estimator.ts';
import type { PayoutFeeEstimator, FeeEstimate } from '../transfers/fee-estimator.ts';
import { formerTransfer } from '../transfers/reserve-transfer.ts';
import type { MerchantTransfer } from '../transfers/reserve-transfer.ts';
import { newTransfer } from '../transfers/transfer.ts';
import type { Transfer } from '../transfers/transfer.ts';
import type { WithdrawalLimits } from '../withdrawals/limits.ts';
import { storeTransfer } from '../withdrawals/store-transfer.ts';
import type { RequestByHand, StoringContext } from '../withdrawals/store-transfer.ts';
import { alertHeld } from '../withdrawals/withdrawal-rules.ts';

export interface RequestRefundDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly fees: PayoutFeeEstimator;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly limits?: WithdrawalLimits;
  /** The payer's page of an order, where a refund address can be left. */
  readonly claimUrl: (order: Order) => string;
}

/** A refund as its merchant reads it. */
export interface RefundView {
  readonly refund: Transfer;
  readonly orderId: OrderId;
  /** Of its amounts. */
  readonly asset: Asset;
}

/** An order whose money can go back, and where to. */
interface Refundable {
  readonly payment: OrderPayment;
  readonly units: bigint;
  readonly toAddress: string;
}

/** How a refund was asked for. */
type Asked = Pick<StoringContext, 'idempotency' | 'byHand'>;

/** Sends back what an order received (endpoints 5 and 6). */
export class RequestRefund {
  readonly #deps: RequestRefundDeps;

  constructor(deps: RequestRefundDeps) {
    this.#deps = deps;
  }

  /**
   * Reserves the whole received amount and queues its payment to the payer's address.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` without confirmed money, a destination, enough balance, or with
   * another live refund; `IDEMPOTENCY_MISMATCH`, `NOT_READY` (watch-only, no rate), `NODE_FAILED`
   */
  async run(
    { accountId }: Pick<Principal, 'accountId'>,
    orderId: string,
    idempotency: IdempotencyClaim | null = null,
    byHand: RequestByHand | null = null,
  ): Promise<RefundView> {
    const former = await this.#former(accountId, idempotency);
    if (former !== null) return former;
    try {
      return await this.#request(accountId, orderId, { idempotency, byHand });
    } catch (error) {
      // A copy of this request may have been stored meanwhile: then its refund is the answer, and no conflict.
      const copy = isTillgateError(error, 'STATE_CONFLICT') ? await this.#former(accountId, idempotency) : null;
      if (copy === null) throw error;
      return copy;
    }
  }

  async #former(accountId: AccountId, idempotency: IdempotencyClaim | null): Promise<RefundView | null> {
    const { storage } = this.#deps;
    const former = await formerTransfer(storage, accountId, idempotency);
    return former === null ? null : this.#view(present(await storage.transfers.find(former), `transfer ${former}`));
  }

  async #request(accountId: AccountId, orderId: string, asked: Asked): Promise<RefundView> {
    const { storage, assets } = this.#deps;
    const order = await this.#find(accountId, orderId);
    const seen = this.#refundable(order, await storage.deposits.byOrder(order.id));
    await this.#refuseSecond(order.id);
    const chain = this.#chain(seen.payment);
    const asset = present(assets.find(seen.payment.currency), `asset ${seen.payment.currency}`);
    const fee = await this.#estimate(order, () =>
      this.#deps.fees.estimate(chain, asset, seen.units, seen.toAddress, accountId),
    );
    await this.#deps.limits?.prepare(asset);
    return this.#store(order.id, seen, fee, asked);
  }

  /** The order's refund (endpoint 5). @throws TillgateError `NOT_FOUND` for an unknown order, and before there is a refund */
  async info(accountId: AccountId, orderId: string): Promise<RefundView> {
    const order = await this.#find(accountId, orderId);
    const refund = await this.#deps.storage.transfers.refundOf(order.id);
    if (refund === null) throw new TillgateError('NOT_FOUND', 'There is no refund of this order.');
    return this.#view(refund);
  }

  async #find(accountId: AccountId, orderId: string): Promise<Order> {
    const order = isId(orderId) ? await this.#deps.storage.orders.find(orderId as OrderId) : null;
    if (order === null || order.accountId !== accountId)
      throw new TillgateError('NOT_FOUND', 'There is no such order.');
    return order;
  }

  #refundable(order: Order, deposits: readonly Deposit[]): Refundable {
    const { payment } = order;
    if (!allowsRefund(order.status)) throw stateConflict(`The order is ${order.status}; there is nothing to refund.`);
    if (payment === null || order.received === 0n)
      throw stateConflict('No money of this order is confirmed; there is nothing to refund.');
    const toAddress = refundDestination(order, liveDeposits(order, deposits), this.#deps.chains);
    if (toAddress === null) {
      throw stateConflict(
        `The refund has no destination yet: the payer can leave an address at ${this.#deps.claimUrl(order)}`,
      );
    }
    return { payment, units: order.received, toAddress };
  }

  async #refuseSecond(orderId: OrderId): Promise<void> {
    const former = await this.#deps.storage.transfers.refundOf(orderId);
    if (former !== null && former.status !== 'FAILED') throw secondRefund();
  }

  #chain({ chain }: OrderPayment): ChainAdapter {
    const adapter = this.#deps.chains.get(chain);
    if (adapter === undefined)
      throw new TillgateError('NOT_READY', `The chain ${chain} is not configured any more; nothing can be paid on it.`);
    return adapter;
  }

  /** Money too small to send back, or an address that cannot be paid, is a matter of the order's state here, not of a field. */
  async #estimate(order: Order, estimate: () => Promise<FeeEstimate>): Promise<FeeEstimate> {
    try {
      return await estimate();
    } catch (error) {
      if (isTillgateError(error, 'DESTINATION_UNPAYABLE'))
        throw stateConflict(
          `The refund's destination cannot be paid. ${error.message} The payer can leave another address at ${this.#deps.claimUrl(order)}`,
        );
      if (isTillgateError(error, 'AMOUNT_OUT_OF_RANGE'))
        throw stateConflict("What was received does not cover the network's fee.");
      throw error;
    }
  }

  async #store(orderId: OrderId, seen: Refundable, fee: FeeEstimate, asked: Asked): Promise<RefundView> {
    const { storage, ids, events, metrics, limits } = this.#deps;
    const hotAddress = requirePayments(this.#chain(seen.payment)).hotAddress;
    const stored = await storage.transaction(async (tx) => {
      const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
      const now = this.#refundable(order, await tx.deposits.byOrder(orderId));
      if (now.units !== seen.units || now.toAddress !== seen.toAddress)
        throw stateConflict('The order changed at this moment; ask again.');
      const transfer = this.#newTransfer(order, now, hotAddress, fee);
      const done = await storeTransfer(tx, transfer, { ids, limits, ...asked }, () =>
        stateConflict('The available balance is less than what was received: part of it is pending or was withdrawn.'),
      );
      if (done === null) throw secondRefund();
      return done;
    });
    if ('former' in stored)
      return this.#view(present(await storage.transfers.find(stored.former), `transfer ${stored.former}`));
    const { id, chain, kind, status } = stored.transfer;
    metrics.count('tillgate_transfers_total', { chain, kind, status });
    if (status === 'HELD') alertHeld(this.#deps, stored.transfer);
    else events.emit('transfer.queued', { chain });
    return this.#view(present(await storage.transfers.find(id), `transfer ${id}`));
  }

  #newTransfer(
    order: Order,
    { payment, units, toAddress }: Refundable,
    sourceAddress: string,
    fee: FeeEstimate,
  ): MerchantTransfer {
    const { clock, ids } = this.#deps;
    const request = {
      id: ids.next() as TransferId,
      kind: 'refund' as const,
      accountId: order.accountId,
      orderId: order.id,
      chain: payment.chain,
      currency: payment.currency,
      units,
      ...fee,
      sourceAddress,
      sourceIndex: null,
      toAddress,
    };
    return newTransfer(request, clock.now());
  }

  #view(refund: Transfer): RefundView {
    const orderId = present(refund.orderId, `order of transfer ${refund.id}`);
    return { refund, orderId, asset: present(this.#deps.assets.find(refund.currency), `asset ${refund.currency}`) };
  }
}
const secondRefund = (): TillgateError =>
  stateConflict('The order has a refund already; read it with the refund information.');
