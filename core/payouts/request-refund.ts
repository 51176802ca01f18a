import { isDemanded, merchantActor } from '../access/index.ts';
import type { Account, Principal, SecondFactor } from '../access/index.ts';
import type { ChainAdapter, ChainRegistry, Deposit } from '../chain/index.ts';
import type {
  AccountId,
  Asset,
  AssetCatalogue,
  Clock,
  EventBus,
  IdempotencyClaim,
  IdGenerator,
  Logger,
  Metrics,
  OrderId,
  Storage,
  TransferId,
} from '../kernel/index.ts';
import { isId, isTillgateError, present, stateConflict, TillgateError } from '../kernel/index.ts';
import { allowsRefund, liveDeposits, orderRefunds } from '../orders/index.ts';
import type { Order, OrderPayment } from '../orders/index.ts';
import { requirePayments } from './fee-estimator.ts';
import type { PayoutFeeEstimator, FeeEstimate } from './fee-estimator.ts';
import { formerTransfer } from './reserve-transfer.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { newTransfer } from './transfer.ts';
import type { Transfer } from './transfer.ts';
import type { WithdrawalLimits } from './limits.ts';
import { storeTransfer } from './store-transfer.ts';
import type { RequestByHand, StoringContext } from './store-transfer.ts';
import type { WithdrawalSettings } from './withdrawal-settings.ts';
import { alertHeld, heldAbove } from './withdrawal-rules.ts';
import { heldForAddress } from './held-refund.ts';
import { refundDestination, requireAddressInForce } from './refund-destination.ts';
import type { RefundDestination, RefundTo } from './refund-destination.ts';
import type { RefundSettings } from './refund-settings.ts';

export interface RequestRefundDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly fees: PayoutFeeEstimator;
  readonly secondFactor: Pick<SecondFactor, 'use'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly limits?: WithdrawalLimits;
  readonly settings: RefundSettings;
  readonly withdrawals: Pick<WithdrawalSettings, 'approveAbove'>;
}

/** The request of a refund, besides the order. */
export interface RefundInput {
  /** The address that the payer entered by default. */
  readonly to?: RefundTo | undefined;
  /** A code of the account's second factor. */
  readonly verifyCode?: string | null | undefined;
}

/** A refund with what its merchant reads of it. */
export interface RefundView {
  readonly refund: Transfer;
  readonly orderId: OrderId;
  /** The asset of its amounts. */
  readonly asset: Asset;
}

/** A refundable order, and the destination of its refund. */
interface Refundable {
  readonly payment: OrderPayment;
  readonly units: bigint;
  readonly destination: RefundDestination;
}

type Asked = Required<Pick<StoringContext, 'idempotency' | 'byHand'>> & { readonly input: RefundInput };

/** Refunds what an order received. */
export class RequestRefund {
  readonly #deps: RequestRefundDeps;

  constructor(deps: RequestRefundDeps) {
    this.#deps = deps;
  }

  /**
   * Reserves the whole received amount and queues its payment to the address that the payer entered or, at the
   * merchant's request, to the single sender. The payer's address is not registered, so the fee is that of a withdrawal
   * (core/decisions/withdrawals-and-refunds.md).
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` without confirmed money, a destination in force, or enough
   *   balance, and when another refund is live; `DESTINATION_UNPAYABLE`, `VERIFY_CODE_INVALID`, `IDEMPOTENCY_MISMATCH`,
   *   `NOT_READY` (watch-only, no rate), `NODE_FAILED`
   */
  async run(
    { accountId }: Pick<Principal, 'accountId'>,
    orderId: string,
    idempotency: IdempotencyClaim | null = null,
    byHand: RequestByHand | null = null,
    input: RefundInput = {},
  ): Promise<RefundView> {
    const former = await this.#former(accountId, idempotency);
    if (former !== null) return former;
    try {
      return await this.#request(accountId, orderId, { idempotency, byHand, input });
    } catch (error) {
      // A retry of this request may have been stored meanwhile: its refund is the result then, not a conflict.
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
    const seen = this.#refundable(
      order,
      await storage.deposits.byOrder(order.id),
      await storage.transfers.refundsOf([order.id]),
      asked.input,
    );
    const chain = this.#chain(seen.payment);
    const asset = present(assets.find(seen.payment.currency), `asset ${seen.payment.currency}`);
    const fee = await estimated(() =>
      this.#deps.fees.estimate(chain, asset, seen.units, seen.destination.address, accountId),
    );
    await this.#deps.limits?.prepare(asset);
    await this.#authorise(accountId, asked);
    return this.#store(order.id, seen, fee, asked);
  }

  /** A person's session has had a step-up; a credential needs a code if the account requires one. */
  async #authorise(accountId: AccountId, { idempotency, byHand, input }: Asked): Promise<void> {
    const { storage, clock, secondFactor } = this.#deps;
    if (byHand !== null) return;
    const { totpForWithdrawals } = await storage.manage.security(accountId);
    if (!isDemanded(totpForWithdrawals, clock.now())) return;
    await secondFactor.use(accountId, input.verifyCode ?? null, 'verifyCode', {
      by: merchantActor(accountId),
      idempotency,
    });
  }

  /** The order's refund. @throws TillgateError `NOT_FOUND` for an unknown order, and before there is a refund */
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

  #refundable(
    order: Order,
    deposits: readonly Deposit[],
    refunds: readonly Transfer[],
    { to = 'payer' }: RefundInput,
  ): Refundable {
    const { payment } = order;
    const { chains, settings, clock } = this.#deps;
    const former = orderRefunds(refunds);
    if (former.live) throw secondRefund();
    const units = order.received - former.units;
    if (!allowsRefund(order.status)) throw stateConflict(`The order is ${order.status}; there is nothing to refund.`);
    if (payment === null || units <= 0n)
      throw former.units > 0n
        ? secondRefund()
        : stateConflict('No money of this order is confirmed; there is nothing to refund.');
    const destination = refundDestination(order, liveDeposits(order, deposits), to, chains, settings);
    requireAddressInForce(destination, settings, clock.now());
    return { payment, units, destination };
  }

  #chain({ chain }: OrderPayment): ChainAdapter {
    const adapter = this.#deps.chains.get(chain);
    if (adapter === undefined)
      throw new TillgateError('NOT_READY', `The chain ${chain} is not configured any more; nothing can be paid on it.`);
    return adapter;
  }

  async #store(orderId: OrderId, seen: Refundable, fee: FeeEstimate, asked: Asked): Promise<RefundView> {
    const { storage, ids, events, metrics, limits } = this.#deps;
    const hotAddress = requirePayments(this.#chain(seen.payment)).hotAddress;
    const stored = await storage.transaction(async (tx) => {
      const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
      const now = this.#refundable(
        order,
        await tx.deposits.byOrder(orderId),
        await tx.transfers.refundsOf(orderId),
        asked.input,
      );
      if (now.units !== seen.units || now.destination.address !== seen.destination.address)
        throw stateConflict('The order changed during the request; try again.');
      const account = present(await tx.accounts.lockShared(order.accountId), `account ${order.accountId}`);
      const transfer = this.#held(this.#newTransfer(order, now, hotAddress, fee), now, account, asked.input);
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

  /** HELD for the reasons of a withdrawal, and for those of an unregistered address. */
  #held(
    transfer: MerchantTransfer,
    { destination }: Refundable,
    account: Account,
    input: RefundInput,
  ): MerchantTransfer {
    const { assets, withdrawals } = this.#deps;
    const asset = present(assets.find(transfer.currency), `asset ${transfer.currency}`);
    const above = heldAbove(withdrawals, asset, transfer);
    return input.to === 'sender' ? above : heldForAddress(above, destination, account);
  }

  #newTransfer(
    order: Order,
    { payment, units, destination }: Refundable,
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
      toAddress: destination.address,
    };
    return newTransfer(request, clock.now());
  }

  #view(refund: Transfer): RefundView {
    const orderId = present(refund.orderId, `order of transfer ${refund.id}`);
    return { refund, orderId, asset: present(this.#deps.assets.find(refund.currency), `asset ${refund.currency}`) };
  }
}

/** An amount below the fee is a conflict with the order's state here, because the request has no amount. */
async function estimated(estimate: () => Promise<FeeEstimate>): Promise<FeeEstimate> {
  try {
    return await estimate();
  } catch (error) {
    if (isTillgateError(error, 'AMOUNT_OUT_OF_RANGE'))
      throw stateConflict("What was received does not cover the network's fee.");
    throw error;
  }
}

const secondRefund = (): TillgateError =>
  stateConflict('The order has a refund already; read it with the refund information.');
