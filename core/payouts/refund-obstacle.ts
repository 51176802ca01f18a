import { present } from '../kernel/index.ts';
import { liveDeposits } from '../orders/index.ts';
import type { Transaction } from '../kernel/index.ts';
import type { Transfer } from './transfer.ts';

/**
 * Why a waiting refund must not be signed: its address was removed, or replaced by another one. `null` for a refund to
 * the present address and, when there is none, for a refund to a sender of the payment.
 */
export async function refundObstacle(tx: Transaction, { id, orderId, toAddress }: Transfer): Promise<string | null> {
  const order = present(await tx.orders.lock(present(orderId, `the order of refund ${id}`)), `order ${orderId}`);
  const paid = async (): Promise<boolean> =>
    liveDeposits(order, await tx.deposits.byOrder(order.id)).some(({ fromAddress }) => fromAddress === toAddress);
  if (order.refundAddress === null ? await paid() : order.refundAddress === toAddress) return null;
  return `Its receiver ${toAddress} is not the refund address; reject the refund, so that it can be requested again.`;
}
