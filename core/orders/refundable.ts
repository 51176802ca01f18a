import type { Deposit } from '../deposits/deposit.ts';
import type { Order } from './order.ts';
import { findTransition } from './order-status.ts';

/** The one address that all of these deposits came from; `null` when there are several, or one is not known. */
export function singleSender(deposits: readonly Deposit[]): string | null {
  const senders = new Set(deposits.map(({ fromAddress }) => fromAddress));
  const [sender] = senders;
  return senders.size === 1 ? (sender ?? null) : null;
}

/**
 * True for an order whose money could be sent back: its status allows it, money is confirmed, and there is a
 * destination (the payer's own word, else the payment's single sender).
 */
export function isRefundable(order: Order, deposits: readonly Deposit[]): boolean {
  if (findTransition('refund-final', order.status) === null || order.received === 0n) return false;
  return order.refundAddress !== null || singleSender(deposits.filter(({ status }) => status !== 'ORPHANED')) !== null;
}
