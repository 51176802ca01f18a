import { allowsRefund } from '../../../../../core/orders/order-status.ts';
import { isSome, unitsOf } from '../../decimals.ts';
import type { OrderRecord } from '../../records.ts';

type Shown = Pick<OrderRecord, 'status' | 'received' | 'refunded_amount' | 'refundable_amount'>;

/**
 * The status as people see it, a key of `tillgate.orderStatus`: an open order that received something is partially paid,
 * as the payer's page says, and money that is being refunded or was refunded in part is not only paid.
 */
export function shownStatus(order: Shown): string {
  const { status, received, refunded_amount: refunded, refundable_amount: left } = order;
  if (status === 'PENDING') return received === null ? status : 'PARTIAL';
  if (received === null || !allowsRefund(status)) return status;
  if (unitsOf(received) > unitsOf(refunded) + unitsOf(left)) return 'REFUNDING';
  return status !== 'REFUNDED' && isSome(refunded) ? 'PART_REFUNDED' : status;
}
