import type { OrderId } from '../kernel/index.ts';

/** Groups records by order; each group keeps their order. */
export function groupByOrder<T extends { readonly orderId: OrderId }>(
  records: readonly T[],
): ReadonlyMap<OrderId, readonly T[]> {
  const groups = new Map<OrderId, T[]>();
  for (const record of records) {
    const group = groups.get(record.orderId);
    if (group === undefined) groups.set(record.orderId, [record]);
    else group.push(record);
  }
  return groups;
}
