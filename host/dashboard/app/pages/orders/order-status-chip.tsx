import { StatusChip } from '../../components/chips.tsx';
import type { OrderRecord } from '../../records.ts';
import { shownStatus } from './shown-status.ts';

export function OrderStatusChip({ order }: { readonly order: OrderRecord }) {
  return <StatusChip status={shownStatus(order)} texts="orderStatus" />;
}
