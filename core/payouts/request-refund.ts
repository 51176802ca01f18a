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
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import { invalidField, isId, isTillgateError, present, stateConflict, TillgateError } from '../kernel/index.ts';
import type { RateBook } from '../ledger/index.ts';
import {
  allowsRefund,
  liveDeposits,
  lockedRefunds,
  orderRefunds,
  refundsOfOrders,
  unitsLeft,
} from '../orders/index.ts';
import type { Order, OrderPayment, OrderRefunds } from '../orders/index.ts';
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
import type { WithdrawalQuote } from './request-withdrawal.ts';
import { heldForAddress } from './held-refund.ts';
import { refundDestination, requireAddressInForce } from './refund-destination.ts';
import type { RefundDestination, RefundTo } from './refund-destination.ts';
import { amountFacts, askedAmount, PARTIAL_REFUNDS, rateOf, refundUnits } from './refund-amount.ts';
import type { AskedAmount, RefundAmountInput } from './refund-amount.ts';
import type { RefundSettings } from './refund-settings.ts';

export interface RequestRefundDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly fees: PayoutFeeEstimator;
  readonly rates: Pick<RateBook, 'payoutRate'>;
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

/** The request of a refund, besides the order: the amount, by default all that is left of what was received. */
export interface RefundInput extends RefundAmountInput {
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

/** A refundable order, and the amount and destination of its refund. */
interface Refundable {
  readonly payment: OrderPayment;
  readonly asset: Asset;
  readonly units: bigint;
  /** What of the received amount is left after it. */
  readonly left: bigint;
  /** The part of the received amount that pull payments promise. */
  readonly promised: bigint;
  /** What earlier refunds of the order took. */
  readonly former: bigint;
  readonly destination: RefundDestination;
}

type Asked = Required<Pick<StoringContext, 'idempotency' | 'byHand'>> & { readonly input: RefundInput };
type Priced = Asked & { readonly amount: AskedAmount };

/** Refunds what an order received. */
export class RequestRefund {
  readonly #deps: RequestRefundDeps;

  constructor(deps: RequestRefundDeps) {
    this.#deps = deps;
  }

  /**
   * Reserves what is left of the received amount, or the part of it that is asked for, and queues its payment to the
   * address that the payer entered or, at the merchant's request, to the single sender. The payer's address is not
   * registered, so the fee is that of a withdrawal (core/decisions/withdrawals-and-refunds.md).
   *
   * @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS` for an amount that is not within what is left;
   *   `STATE_CONFLICT` without confirmed money, a surplus that is asked for, a destination in force, or enough balance,
   *   and when another refund is live or there are too many; `DESTINATION_UNPAYABLE`, `VERIFY_CODE_INVALID`, `IDEMPOTENCY_MISMATCH`,
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

  /**
   * Whom a refund would pay, and its estimated fee. Nothing is reserved, and the balance is not compared.
   *
   * @throws TillgateError as {@link run}, except for codes and balances
   */
  async quote(
    { accountId }: Pick<Principal, 'accountId'>,
    orderId: string,
    input: Omit<RefundInput, 'verifyCode'> = {},
  ): Promise<WithdrawalQuote> {
    const { seen, fee } = await this.#priced(accountId, orderId, input);
    const { asset, units, destination } = seen;
    return { asset, units, feeUnits: fee.feeUnits, toAddress: destination.address };
  }

  async #request(accountId: AccountId, orderId: string, asked: Asked): Promise<RefundView> {
    const { id, amount, seen, fee } = await this.#priced(accountId, orderId, asked.input);
    await this.#deps.limits?.prepare(seen.asset);
    await this.#authorise(accountId, asked);
    return this.#store(id, seen, fee, { ...asked, amount });
  }

  /** What a refund would take now, and its estimated fee. */
  async #priced(
    accountId: AccountId,
    orderId: string,
    input: RefundInput,
  ): Promise<{
    readonly id: OrderId;
    readonly amount: AskedAmount;
    readonly seen: Refundable;
    readonly fee: FeeEstimate;
  }> {
    const { storage, fees, rates } = this.#deps;
    const order = await this.#find(accountId, orderId);
    const deposits = await storage.deposits.byOrder(order.id);
    const refunds = orderRefunds(await refundsOfOrders(storage, [order.id]));
    const { asset } = this.#requireMoney(order, refunds);
    const amount = await askedAmount(order, asset, input, rates);
    const seen = this.#refundable(order, deposits, refunds, { amount, input });
    const chain = this.#chain(seen.payment);
    const fee = await estimated(amount, () =>
      fees.estimate(chain, asset, seen.units, seen.destination.address, accountId),
    );
    return { id: order.id, amount, seen, fee };
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

  /** @throws TillgateError `STATE_CONFLICT` while another refund is live, and when nothing is left to refund */
  #requireMoney(order: Order, refunds: OrderRefunds): Pick<Refundable, 'payment' | 'asset'> {
    const { payment, status } = order;
    if (refunds.paying) throw secondRefund();
    if (!allowsRefund(status)) throw stateConflict(`The order is ${status}; there is nothing to refund.`);
    if (payment === null || unitsLeft(order, refunds) === 0n)
      throw refunds.units > 0n
        ? secondRefund()
        : stateConflict('No money of this order is confirmed; there is nothing to refund.');
    return { payment, asset: present(this.#deps.assets.find(payment.currency), `asset ${payment.currency}`) };
  }

  #refundable(
    order: Order,
    deposits: readonly Deposit[],
    refunds: OrderRefunds,
    { amount, input: { to = 'payer' } }: Pick<Priced, 'amount' | 'input'>,
  ): Refundable {
    const { chains, settings, clock } = this.#deps;
    const { payment, asset } = this.#requireMoney(order, refunds);
    const units = refundUnits(order, asset, amount, refunds);
    const left = unitsLeft(order, refunds) - units;
    if (left > 0n && refunds.count >= PARTIAL_REFUNDS)
      throw stateConflict(`The order has ${refunds.count} refunds; only all that is left can be refunded now.`);
    const destination = refundDestination(order, liveDeposits(order, deposits), to, chains, settings);
    requireAddressInForce(destination, settings, clock.now());
    return { payment, asset, units, left, promised: refunds.promised, former: refunds.units, destination };
  }

  #chain({ chain }: OrderPayment): ChainAdapter {
    const adapter = this.#deps.chains.get(chain);
    if (adapter === undefined)
      throw new TillgateError('NOT_READY', `The chain ${chain} is not configured any more; nothing can be paid on it.`);
    return adapter;
  }

  async #store(orderId: OrderId, seen: Refundable, fee: FeeEstimate, asked: Priced): Promise<RefundView> {
    const { storage, ids, events, metrics, limits } = this.#deps;
    const hotAddress = requirePayments(this.#chain(seen.payment)).hotAddress;
    const stored = await storage.transaction(async (tx) => {
      const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
      const now = this.#refundable(order, await tx.deposits.byOrder(orderId), await lockedRefunds(tx, orderId), asked);
      if (now.units !== seen.units || now.destination.address !== seen.destination.address)
        throw stateConflict('The order changed during the request; try again.');
      const account = present(await tx.accounts.lockShared(order.accountId), `account ${order.accountId}`);
      const transfer = this.#held(this.#newTransfer(order, now, hotAddress, fee), now, account, asked.input);
      const done = await storeTransfer(tx, transfer, { ids, limits, ...asked }, () =>
        stateConflict(
          'The available balance is less than the refund: part of what was received is pending or was withdrawn.',
        ),
      );
      if (done === null) throw secondRefund();
      if ('transfer' in done && now.left + now.promised > 0n)
        await this.#notePart(tx, order, now, done.transfer, asked.amount);
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

  /** Records that the order keeps its status when this refund is paid, because something of it is left. */
  #notePart(
    { orders }: Transaction,
    { id: orderId, status }: Order,
    { left, promised }: Refundable,
    { id, units, createdAt: at }: MerchantTransfer,
    amount: AskedAmount,
  ): Promise<void> {
    const inputs = {
      transferId: id,
      units: units.toString(),
      left: left.toString(),
      promised: promised.toString(),
      ...amountFacts(amount),
    };
    return orders.addHistory({
      ...{ orderId, at, from: status, to: status },
      ...{ rule: 'refund-partial', inputs, rate: rateOf(amount) },
    });
  }

  /** HELD for the reasons of a withdrawal, for which the refunds of an order count together, and of an unregistered address. */
  #held(
    transfer: MerchantTransfer,
    { destination, asset, former }: Refundable,
    account: Account,
    input: RefundInput,
  ): MerchantTransfer {
    const above = heldAbove(this.#deps.withdrawals, asset, transfer, former);
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

/** An amount below the fee is a conflict with the order's state where the request has no amount, else a wrong amount. */
async function estimated({ kind }: AskedAmount, estimate: () => Promise<FeeEstimate>): Promise<FeeEstimate> {
  try {
    return await estimate();
  } catch (error) {
    if (!isTillgateError(error, 'AMOUNT_OUT_OF_RANGE')) throw error;
    if (kind === 'coin' || kind === 'fiat')
      throw invalidField(kind === 'coin' ? 'amount' : 'fiatAmount', "must cover the network's fee");
    throw stateConflict(
      `What is ${kind === 'rest' ? 'left' : 'received beyond the amount due'} does not cover the network's fee.`,
    );
  }
}

const secondRefund = (): TillgateError =>
  stateConflict('The order has a refund already; read it with the refund information.');
