import type { CheckoutView, Order } from '../../core/index.ts';

/** True for an order whose page is a receipt: its payment is final for the order. */
export function hasReceipt({ status, reorgedAt }: Order): boolean {
  return (status === 'SUCCESS' || status === 'RESOLVED' || status === 'REFUNDED') && reorgedAt === null;
}

/** True while the payer may choose the coin: a hosted order without any payment so far. */
export function mayChoose({ order, seen }: CheckoutView): boolean {
  return order.hosted && order.status === 'PENDING' && !seen;
}

/**
 * True when a refund address could be used: money was received or is unconfirmed, and was not refunded. A Lightning
 * payment has no address to refund to.
 */
export function usesRefundAddress({ order, seen }: CheckoutView): boolean {
  if (order.payment === null || order.payment.chain === 'BLN') return false;
  if (order.status === 'TERMINATED') return order.received > 0n;
  return (seen || order.received > 0n) && order.status !== 'REFUNDED';
}

/** True while this browser may leave a refund address, or change the one that it left. */
export function mayLeaveRefundAddress(view: CheckoutView, browser: string | null): boolean {
  return usesRefundAddress(view) && (view.refundAddress === null || isOwnAddress(view, browser));
}

/** True for the browser that left the refund address. */
export function isOwnAddress({ order }: CheckoutView, browser: string | null): boolean {
  return order.refundAddress !== null && browser !== null && order.refundBrowser === browser;
}

/** The URL to which the payer returns in the end; only http and https, whatever is stored. */
export function redirectOf({ status, links, reorgedAt }: Order): string | null {
  if (reorgedAt !== null) return null;
  const paid = status === 'SUCCESS' || status === 'RESOLVED';
  const over = status === 'OVERDUE' || status === 'PARTIAL';
  const target = paid ? links.succeedUrl : over ? links.timeoutUrl : null;
  return target !== null && /^https?:\/\//i.test(target) ? target : null;
}
