import type { OrderFile } from '../../records.ts';

const POLL_MS = 3000;
const SLOW_POLL_MS = 5000;

/** The interval at which the order is read again, as long as it may change by itself. */
export function orderPollMs({
  status,
  refund,
  transactions,
}: Pick<OrderFile, 'status' | 'refund' | 'transactions'>): number | false {
  if (status === 'PENDING' || (refund !== null && refund.finished_at === null)) return POLL_MS;
  return transactions.some((deposit) => deposit.status === 'SEEN' || deposit.status === 'CREDITED') && SLOW_POLL_MS;
}
