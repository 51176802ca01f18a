import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import { formatUnits } from '../kernel/decimal.ts';
import { present } from '../kernel/guard.ts';
import { formatTimestamp } from '../kernel/time.ts';
import type { Order } from '../orders/order.ts';
import type { OrderStatus } from '../orders/order-status.ts';
import type { LightningNode } from '../ports/lightning.ts';

/** The answer of a Lightning order (specification, "Lightning order result"). */
export interface LightningOrderRecord {
  readonly order_id: string;
  readonly status: OrderStatus;
  readonly currency: string;
  /** In bitcoin, up to 11 decimals. */
  readonly amount: string;
  readonly create_time: string;
  readonly payment_request: string;
  /** The invoice's payment secret, in hexadecimal digits. */
  readonly payment_addr: string;
  readonly pay_url: string;
}

/** An order's invoice as the merchant reads it. @throws TillgateError `NODE_FAILED` */
export async function lightningOrderRecord(order: Order, node: Pick<LightningNode, 'decode'>, payUrl: string): Promise<LightningOrderRecord> {
  const { address, units } = present(order.payment, `payment of order ${order.id}`);
  const { paymentAddr } = await node.decode(address);
  return {
    order_id: order.id,
    status: order.status,
    currency: LIGHTNING_ASSET.currency,
    amount: formatUnits(units, LIGHTNING_ASSET.decimals),
    create_time: formatTimestamp(order.createdAt),
    payment_request: address,
    payment_addr: paymentAddr,
    pay_url: payUrl,
  };
}
