import type { Deposit } from '../deposits/deposit.ts';
import type { Order } from './order.ts';
import { findTransition } from './order-status.ts';
import { liveDeposits } from './settle-order.ts';

/** The address that sent all of these deposits; `null` when there are several, or one is unknown. */
export function singleSender(deposits: readonly Deposit[]): string | null {
  const senders = new Set(deposits.map(({ fromAddress }) => fromAddress));
  const [sender] = senders;
  return senders.size === 1 ? (sender ?? null) : null;
}

/**
 * Where a refund goes: the address that the payer gave, else the single sender of the payment; `null` when neither is known.
 *
 * @param deposits - the order's live ones
 */
export function refundDestination(order: Order, deposits: readonly Deposit[]): string | null {
  return order.refundAddress ?? singleSender(deposits);
}

/** What a refund depends on besides the order itself. */
export interface RefundMeans {
  /** The order has a refund that is pending or paid. */
  readonly refunded: boolean;
  /** What the merchant can spend of the order's currency. */
  readonly available: bigint;
}

/**
 * True when Orders Refund would be accepted now: the status allows it, money is confirmed, there is a destination, no
 * other refund, and enough balance (decisions, section 5).
 */
export function isRefundable(
  order: Order,
  deposits: readonly Deposit[],
  { refunded, available }: RefundMeans,
): boolean {
  if (
    refunded ||
    findTransition('refund-final', order.status) === null ||
    order.received === 0n ||
    available < order.received
  )
    return false;
  return refundDestination(order, liveDeposits(order, deposits)) !== null;
}
