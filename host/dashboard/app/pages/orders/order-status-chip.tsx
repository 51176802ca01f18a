import { StatusChip } from '../../components/chips.tsx';
import type { OrderRecord } from '../../records.ts';

/** An open order that received something is partially paid, as the payer's page says. */
export function OrderStatusChip({ order: { status, received } }: { readonly order: OrderRecord }) {
  return <StatusChip status={status === 'PENDING' && received !== null ? 'PARTIAL' : status} texts="orderStatus" />;
}
