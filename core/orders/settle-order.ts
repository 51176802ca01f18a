import { countsForOrder, owedUnits } from '../chain/index.ts';
import type { Deposit, UnconfirmedPayment } from '../chain/index.ts';
import type { Millis } from '../kernel/index.ts';
import { countedUnits } from './late-worth.ts';
import { amountRequired } from './order.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from './order.ts';
import type { OrderRefunds } from './order-refunds.ts';
import type { OrderRule } from './order-status.ts';
import type { OrderSettings } from './order-settings.ts';

/** The settings that the rules use. */
export type LateTerms = Pick<OrderSettings, 'lateGraceMs' | 'unconfirmedHoldMs'>;

/** The facts that the rules use besides the order and its deposits. */
export interface DecisionContext {
  readonly now: Millis;
  /**
   * True when the order's chain was read by a pass that began at or after the deadline, so that "nothing seen" is a
   * fact and not an unavailable node.
   */
  readonly scannedPastDeadline: boolean;
  /** Payments to the order in the mempool. */
  readonly unconfirmed: readonly UnconfirmedPayment[];
  /** The choice of a coin to which the order returns once its payment is mined; `null` for its present one. */
  readonly formerChoice: OrderPayment | null;
  readonly refunds: OrderRefunds;
  readonly terms: LateTerms;
}

/** A move that the rules require, with the facts that they used. */
export interface Decision {
  readonly rule: OrderRule;
  readonly inputs: OrderHistoryEntry['inputs'];
}

/** The received amounts of an order's payment, in units of its currency. */
export interface Received {
  /** Credited and not reversed. */
  readonly confirmed: bigint;
  readonly confirmedInTime: bigint;
  /** Credited inside the watch window, or assigned by an operator, each at the value that it counts (core/decisions/order-times.md). */
  readonly countedInWindow: bigint;
  /** Seen in a block, with too few confirmations. */
  readonly unconfirmed: bigint;
  readonly unconfirmedInTime: bigint;
}

const NOTHING: Received = {
  confirmed: 0n,
  confirmedInTime: 0n,
  countedInWindow: 0n,
  unconfirmed: 0n,
  unconfirmedInTime: 0n,
};

/** Deposits in the order's own currency that no reorganisation has removed, without dust. */
export function liveDeposits(order: Order, deposits: readonly Deposit[]): readonly Deposit[] {
  const { payment } = order;
  if (payment === null) return [];
  return deposits.filter(
    (deposit) => deposit.chain === payment.chain && deposit.currency === payment.currency && countsForOrder(deposit),
  );
}

/** Sums an order's live deposits. @param graceMs - how long after the deadline the order's rate applies */
export function sumReceived(order: Order, deposits: readonly Deposit[], graceMs: Millis = 0): Received {
  return liveDeposits(order, deposits).reduce((sum, deposit) => {
    const { status, paidAt, unassignedReason } = deposit;
    const units = owedUnits(deposit);
    const inTime = paidAt <= order.expiresAt ? units : 0n;
    // A deposit that an operator assigned counts whenever it arrived.
    const inWindow = paidAt <= order.watchUntil || unassignedReason !== null;
    if (status === 'SEEN') {
      return { ...sum, unconfirmed: sum.unconfirmed + units, unconfirmedInTime: sum.unconfirmedInTime + inTime };
    }
    return {
      ...sum,
      confirmed: sum.confirmed + units,
      confirmedInTime: sum.confirmedInTime + inTime,
      countedInWindow: sum.countedInWindow + (inWindow ? countedUnits(order, deposit, graceMs) : 0n),
    };
  }, NOTHING);
}

/**
 * Whether payments that were seen in time could complete the order: those in blocks, or together with unconfirmed ones,
 * as long as these may keep an order open.
 */
export function isHeldOpen(order: Order, received: Received, context: Omit<DecisionContext, 'refunds'>): boolean {
  const { unconfirmed, formerChoice, terms, now } = context;
  const payment = formerChoice ?? order.payment;
  if (payment === null) return false;
  const required = amountRequired(payment.units, order.toleranceBps);
  const mined = formerChoice === null ? received.confirmedInTime + received.unconfirmedInTime : 0n;
  if (mined >= required) return true;
  const waiting = unconfirmed.filter(
    ({ chain, currency, seenAt }) =>
      chain === payment.chain && currency === payment.currency && seenAt <= order.expiresAt,
  );
  const possible = waiting.reduce((sum, { units }) => sum + units, mined);
  return possible >= required && now < order.expiresAt + terms.unconfirmedHoldMs;
}

/**
 * The next move of an order, or `null` when it stays as it is (core/decisions/order-times.md). Pure.
 */
export function decideOrder(order: Order, deposits: readonly Deposit[], context: DecisionContext): Decision | null {
  const received = sumReceived(order, deposits, context.terms.lateGraceMs);
  const required = order.payment === null ? null : amountRequired(order.payment.units, order.toleranceBps);
  const rule = ruleFor(order, received, required, context);
  if (rule === null) return null;
  return {
    rule,
    inputs: {
      now: context.now,
      deadline: order.expiresAt,
      watchUntil: order.watchUntil,
      due: order.payment === null ? null : order.payment.units.toString(),
      required: required === null ? null : required.toString(),
      toleranceBps: order.toleranceBps,
      confirmed: received.confirmed.toString(),
      confirmedInTime: received.confirmedInTime.toString(),
      counted: received.countedInWindow.toString(),
      ...(context.refunds.units === 0n ? {} : { refunded: context.refunds.units.toString() }),
      unconfirmed: received.unconfirmed.toString(),
    },
  };
}

function ruleFor(
  order: Order,
  received: Received,
  required: bigint | null,
  context: DecisionContext,
): OrderRule | null {
  // While a refund is in progress nothing moves the order; it is decided again when the refund ends.
  if (context.refunds.live) return null;
  switch (order.status) {
    case 'PENDING':
      if (required !== null && received.confirmedInTime >= required) return 'paid-in-time';
      if (context.now < order.expiresAt || !context.scannedPastDeadline) return null;
      if (isHeldOpen(order, received, context)) return null;
      // A payment in a block with too few confirmations was seen, though it cannot complete the order.
      return received.confirmedInTime + received.unconfirmedInTime === 0n ? 'deadline-nothing-seen' : 'deadline-short';
    case 'OVERDUE':
    case 'PARTIAL':
      // A refunded amount does not pay the order.
      return required !== null && received.countedInWindow - context.refunds.units >= required ? 'late-payment' : null;
    case 'SUCCESS':
    case 'RESOLVED':
      // A refund of a part leaves the order paid: only a payment that is missing on the chain moves it.
      if (order.reorgedAt === null || required === null || context.now < order.watchUntil) return null;
      return received.confirmed >= required || received.unconfirmed > 0n ? null : 'payment-reorganised-away';
    case 'TERMINATED':
    case 'REFUNDED':
      return null;
  }
}
