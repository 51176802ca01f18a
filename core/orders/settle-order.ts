import { countsForOrder, owedUnits } from '../deposits/deposit.ts';
import type { Deposit } from '../deposits/deposit.ts';
import type { Millis } from '../kernel/time.ts';
import { amountRequired } from './order.ts';
import type { Order, OrderHistoryEntry } from './order.ts';
import type { OrderRule } from './order-status.ts';

/** What the rules look at besides the order and its deposits. */
export interface DecisionContext {
  readonly now: Millis;
  /**
   * True when the order's chain was read by a pass that began at or after the deadline, so that "nothing seen" is a
   * fact and not a node that was away.
   */
  readonly scannedPastDeadline: boolean;
  /** True while a transaction that pays to the order, and was first seen in time, waits to be mined. */
  readonly unconfirmedSeenInTime: boolean;
}

/** A move that the rules call for, with what they looked at. */
export interface Decision {
  readonly rule: OrderRule;
  readonly inputs: OrderHistoryEntry['inputs'];
}

/** What an order's payment has brought so far, in units of its currency. */
export interface Received {
  /** Credited and not taken back. */
  readonly confirmed: bigint;
  readonly confirmedInTime: bigint;
  /** Credited inside the watch window. */
  readonly confirmedInWindow: bigint;
  /** Seen in a block and waiting for confirmations. */
  readonly unconfirmed: bigint;
  readonly unconfirmedInTime: bigint;
}

const NOTHING: Received = {
  confirmed: 0n,
  confirmedInTime: 0n,
  confirmedInWindow: 0n,
  unconfirmed: 0n,
  unconfirmedInTime: 0n,
};

/** Deposits of the order's own currency that no reorganisation has taken away, without dust. */
export function liveDeposits(order: Order, deposits: readonly Deposit[]): readonly Deposit[] {
  const { payment } = order;
  if (payment === null) return [];
  return deposits.filter(
    (deposit) => deposit.chain === payment.chain && deposit.currency === payment.currency && countsForOrder(deposit),
  );
}

/** Adds up an order's live deposits by what the rules ask. */
export function sumReceived(order: Order, deposits: readonly Deposit[]): Received {
  return liveDeposits(order, deposits).reduce((sum, deposit) => {
    const { status, paidAt, unassignedReason } = deposit;
    const units = owedUnits(deposit);
    const inTime = paidAt <= order.expiresAt ? units : 0n;
    // What an operator assigned counts whenever it came.
    const inWindow = paidAt <= order.watchUntil || unassignedReason !== null ? units : 0n;
    if (status === 'SEEN') {
      return { ...sum, unconfirmed: sum.unconfirmed + units, unconfirmedInTime: sum.unconfirmedInTime + inTime };
    }
    return {
      ...sum,
      confirmed: sum.confirmed + units,
      confirmedInTime: sum.confirmedInTime + inTime,
      confirmedInWindow: sum.confirmedInWindow + inWindow,
    };
  }, NOTHING);
}

/**
 * The next move of an order, or `null` when it stays as it is (decisions, section 4). Pure.
 */
export function decideOrder(order: Order, deposits: readonly Deposit[], context: DecisionContext): Decision | null {
  const received = sumReceived(order, deposits);
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
  switch (order.status) {
    case 'PENDING':
      if (required !== null && received.confirmedInTime >= required) return 'paid-in-time';
      if (
        context.now < order.expiresAt ||
        !context.scannedPastDeadline ||
        received.unconfirmedInTime > 0n ||
        context.unconfirmedSeenInTime
      )
        return null;
      return received.confirmedInTime === 0n ? 'deadline-nothing-seen' : 'deadline-short';
    case 'OVERDUE':
    case 'PARTIAL':
      return required !== null && received.confirmedInWindow >= required ? 'late-payment' : null;
    case 'SUCCESS':
    case 'RESOLVED':
      if (order.reorgedAt === null || required === null || context.now < order.watchUntil) return null;
      return received.confirmed >= required || received.unconfirmed > 0n ? null : 'payment-reorganised-away';
    case 'TERMINATED':
    case 'REFUNDED':
      return null;
  }
}
