import type { AmountWords, CallbackStatus, NoticeLine, NoticeWords } from '../notify/index.ts';
import { formatTimestamp } from '../kernel/index.ts';
import type { Millis } from '../kernel/index.ts';
import type { OrderStatus, OrderSum } from '../orders/index.ts';
import { noticeWords } from '../notify/index.ts';

/** The activity of a day, of one account or of the till. */
export interface DaySummary {
  readonly day: Millis;
  /** Orders created on that day, with their present status. */
  readonly orders: readonly OrderSum[];
  /** Callbacks and events created on that day. */
  readonly callbacks: ReadonlyMap<CallbackStatus, number>;
  /** The present numbers; `null` in an account's summary. */
  readonly waiting: { readonly withdrawals: number; readonly alerts: number } | null;
}

const PAID: readonly OrderStatus[] = ['SUCCESS', 'RESOLVED'];

/** True for a day without any activity of an account. */
export function isUneventful({ orders, callbacks }: DaySummary): boolean {
  return orders.length === 0 && callbacks.size === 0;
}

/** The message with the summary of a day. */
export function summaryWords(summary: DaySummary, amount: AmountWords): NoticeWords {
  const { day, orders, callbacks, waiting } = summary;
  const date = formatTimestamp(day).slice(0, 10);
  const count = (...statuses: readonly OrderStatus[]): string =>
    String(
      orders.filter(({ status }) => statuses.includes(status)).reduce((sum, { orders: records }) => sum + records, 0),
    );
  const all = orders.reduce((sum, { orders: records }) => sum + records, 0);
  return noticeWords(`Summary for ${date}: ${all} ${all === 1 ? 'order' : 'orders'}, ${count(...PAID)} paid`, [
    `Orders created on ${date} (UTC), with their current status.`,
    '',
    ['Created', String(all)],
    ['Paid', count(...PAID)],
    ['Refunded', count('REFUNDED')],
    ['Partially paid', count('PARTIAL')],
    ['Expired', count('OVERDUE')],
    ...received(orders, amount),
    '',
    ['Failed callbacks', String(callbacks.get('DEAD') ?? 0)],
    ['Pending callbacks', String(callbacks.get('PENDING') ?? 0)],
    ...(waiting === null
      ? []
      : ([
          ['Withdrawals on hold', String(waiting.withdrawals)],
          ['Open alerts', String(waiting.alerts)],
        ] as const)),
  ]);
}

function received(orders: readonly OrderSum[], amount: AmountWords): readonly NoticeLine[] {
  const sums = new Map<string, bigint>();
  for (const { currency, received: units } of orders)
    if (currency !== null && units > 0n) sums.set(currency, (sums.get(currency) ?? 0n) + units);
  return [...sums].map(([currency, units]) => ['Received', amount(currency, units)] as const);
}
