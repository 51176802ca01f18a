import { present } from '../kernel/index.ts';
import type { Transaction } from '../kernel/index.ts';
import type { Order } from '../orders/index.ts';
import type { PullPayment } from './pull-payment.ts';

/**
 * Locks a pull payment until the transaction ends. The order that it refunds is locked before it, as everywhere.
 *
 * @param seen - the pull payment as it was read before; its order never changes
 */
export async function lockPullPayment(
  tx: Transaction,
  seen: Pick<PullPayment, 'id' | 'orderId'>,
): Promise<{ readonly pull: PullPayment; readonly order: Order | null }> {
  const order = seen.orderId === null ? null : present(await tx.orders.lock(seen.orderId), `order ${seen.orderId}`);
  return { pull: present(await tx.pullPayments.lock(seen.id), `pull payment ${seen.id}`), order };
}
