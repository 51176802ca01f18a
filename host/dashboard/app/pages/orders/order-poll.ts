import type { OrderFile } from '../../records.ts';

const POLL_MS = 3000;
const SLOW_POLL_MS = 5000;

/** True for a refund that is neither paid nor failed. */
export const isLive = ({ finished_at }: OrderFile['refunds'][number]): boolean => finished_at === null;

/** The interval at which the order is read again, as long as it may change by itself. */
export function orderPollMs({
  status,
  refunds,
  transactions,
}: Pick<OrderFile, 'status' | 'refunds' | 'transactions'>): number | false {
  if (status === 'PENDING' || refunds.some(isLive)) return POLL_MS;
  return transactions.some((deposit) => deposit.status === 'SEEN' || deposit.status === 'CREDITED') && SLOW_POLL_MS;
}
