import type { RefundTo, Transfer } from '../../../core/index.ts';
import type { World } from '../world/world.ts';
import type { DepositRow, TransferRow } from './rows.ts';

interface LeftRow {
  readonly refund_address: string | null;
  readonly refund_address_at: number | null;
  /** When its first payment was seen. */
  readonly paid_at: number | null;
}

const LEFT = `SELECT refund_address, refund_address_at, (SELECT MIN(paid_at) FROM deposits d WHERE d.order_id = o.id AND
  d.chain = o.chain AND d.currency = o.currency AND d.status NOT IN ('ORPHANED', 'DUST') AND d.assignment = 'ORDER') AS paid_at
  FROM orders o WHERE id = ?`;

/**
 * The limits of a refund that was requested: without approval it goes up to the threshold, and to an address that the
 * payer left in time; to the sender only at the merchant's request, and only when the payer has left no address.
 */
export function judgeRefund(
  world: World,
  orderId: string,
  { id, status, toAddress, units, currency, createdAt }: Transfer,
  to: RefundTo,
): void {
  const row = world.driver.all<LeftRow>(LEFT, orderId)[0];
  if (row === undefined) return;
  if ((row.refund_address ?? (to === 'sender' ? toAddress : null)) !== toAddress)
    world.breaches.push(`refund-destination: ${orderId} is refunded to ${toAddress}, which its payer did not leave`);
  if (status === 'HELD' || world.approved.has(id)) return;
  const { paid_at: paidAt, refund_address_at: leftAt } = row;
  if (leftAt !== null && paidAt !== null && paidAt <= leftAt && createdAt < leftAt + world.refunds.addressHoldMs)
    world.breaches.push(`refund-hold: ${orderId} is refunded to an address that was left after its payment`);
  const above = world.approveAbove(currency);
  if (above !== null && units > above) world.breaches.push(`refund-approval: ${orderId} gets ${units} unapproved`);
}

/** An order has at most one pending refund besides claims, and no more is refunded than was received. */
export function refundProblems(transfers: Iterable<TransferRow>, deposits: Iterable<DepositRow>): readonly string[] {
  const refunds = new Map<string, TransferRow[]>();
  for (const row of transfers)
    if (row.kind === 'refund' && row.status !== 'FAILED' && row.order_id !== null)
      refunds.set(row.order_id, [...(refunds.get(row.order_id) ?? []), row]);
  if (refunds.size === 0) return [];
  const received = new Map<string, bigint>();
  for (const { order_id, units, credits } of deposits)
    if (order_id !== null && credits > 0) received.set(order_id, (received.get(order_id) ?? 0n) + BigInt(units));
  return [...refunds].flatMap(([orderId, rows]) => {
    const live = rows.filter(({ status, claim_id }) => status !== 'CONFIRMED' && claim_id === null).length;
    const sum = rows.reduce((total, { units }) => total + BigInt(units), 0n);
    const came = received.get(orderId) ?? 0n;
    return [
      ...(live > 1 ? [`order ${orderId} has ${live} refunds under way`] : []),
      ...(sum > came ? [`order ${orderId} received ${came} and ${sum} go back`] : []),
    ];
  });
}
