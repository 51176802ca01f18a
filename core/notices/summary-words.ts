import type { CallbackStatus } from '../callbacks/callback.ts';
import { formatTimestamp } from '../kernel/time.ts';
import type { Millis } from '../kernel/time.ts';
import type { OrderStatus } from '../orders/order-status.ts';
import type { OrderSum } from '../ports/overview-store.ts';
import type { AmountWords } from './event-words.ts';
import type { NoticeWords } from './notice.ts';
import { noticeWords } from './words.ts';
import type { NoticeLine } from './words.ts';

/** What happened on a day: of one account, or of the till. */
export interface DaySummary {
  readonly day: Millis;
  /** Of orders that were made on that day, as they are now. */
  readonly orders: readonly OrderSum[];
  /** Of callbacks and events that were made on that day. */
  readonly callbacks: ReadonlyMap<CallbackStatus, number>;
  /** Of now; `null` in an account's summary. */
  readonly waiting: { readonly withdrawals: number; readonly alerts: number } | null;
}

const PAID: readonly OrderStatus[] = ['SUCCESS', 'RESOLVED'];

/** True where there is nothing to tell an account. */
export function isUneventful({ orders, callbacks }: DaySummary): boolean {
  return orders.length === 0 && callbacks.size === 0;
}

/** The summary of a day, in words. */
export function summaryWords(summary: DaySummary, amount: AmountWords): NoticeWords {
  const { day, orders, callbacks, waiting } = summary;
  const date = formatTimestamp(day).slice(0, 10);
  const count = (...statuses: readonly OrderStatus[]): string =>
    String(
      orders.filter(({ status }) => statuses.includes(status)).reduce((sum, { orders: records }) => sum + records, 0),
    );
  const all = orders.reduce((sum, { orders: records }) => sum + records, 0);
  return noticeWords(`Summary of ${date}: ${all} ${all === 1 ? 'order' : 'orders'}, ${count(...PAID)} paid`, [
    `Orders that were made on ${date} (UTC), as they are now.`,
    '',
    ['Made', String(all)],
    ['Paid', count(...PAID)],
    ['Refunded', count('REFUNDED')],
    ['Paid in part', count('PARTIAL')],
    ['Not paid in time', count('OVERDUE')],
    ...received(orders, amount),
    '',
    ['Callbacks given up', String(callbacks.get('DEAD') ?? 0)],
    ['Callbacks that wait', String(callbacks.get('PENDING') ?? 0)],
    ...(waiting === null
      ? []
      : ([
          ['Withdrawals that wait for an operator', String(waiting.withdrawals)],
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
