import type { OrderId } from '../kernel/index.ts';

/** Groups records by order; each group keeps their order. */
export function groupByOrder<T extends { readonly orderId: OrderId | null }>(
  records: readonly T[],
): ReadonlyMap<T['orderId'], readonly T[]> {
  const groups = new Map<T['orderId'], T[]>();
  for (const record of records) {
    const group = groups.get(record.orderId);
    if (group === undefined) groups.set(record.orderId, [record]);
    else group.push(record);
  }
  return groups;
}
