import { StatusChip } from '../../components/chips.tsx';
import type { OrderRecord } from '../../records.ts';

/** An open order that received something is partially paid, as the payer's page says. */
export function OrderStatusChip({ order: { status, obtained } }: { readonly order: OrderRecord }) {
  return <StatusChip status={status === 'PENDING' && obtained !== null ? 'PARTIAL' : status} texts="orderStatus" />;
}
