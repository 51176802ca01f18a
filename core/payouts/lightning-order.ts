import { present } from '../kernel/index.ts';
import type { Order, OrderPayment } from '../orders/index.ts';
import type { LightningNode } from '../chain/index.ts';

/** An order's invoice with what its merchant reads of it. */
export interface LightningOrderView {
  readonly order: Order;
  readonly payment: OrderPayment;
  /** The invoice's payment secret, in hexadecimal digits. */
  readonly paymentAddr: string;
  readonly payUrl: string;
}

/** The view of an order on Lightning. @throws TillgateError `NODE_FAILED` */
export async function lightningOrderView(
  order: Order,
  node: Pick<LightningNode, 'decode'>,
  payUrl: string,
): Promise<LightningOrderView> {
  const payment = present(order.payment, `payment of order ${order.id}`);
  const { paymentAddr } = await node.decode(payment.address);
  return { order, payment, paymentAddr, payUrl };
}
