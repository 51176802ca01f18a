import type { AccountId, OrderId } from '../kernel/index.ts';
import type { WebhookEvent } from '../notify/index.ts';

/** The statuses of an order. */
export const ORDER_STATUSES = [
  'PENDING',
  'OVERDUE',
  'SUCCESS',
  'RESOLVED',
  'PARTIAL',
  'TERMINATED',
  'REFUNDED',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The rule by which a status changes; stored with every change. */
export type OrderRule =
  | 'paid-in-time'
  | 'deadline-nothing-seen'
  | 'deadline-short'
  | 'cancelled'
  | 'late-payment'
  | 'operator-accepted'
  | 'refund-final'
  | 'payment-reorganised-away';

/** The terminal events that are reported to merchants by callbacks; each happens at most once for an order. */
export type OrderEventName = 'order.succeeded' | 'order.timeout';

/** One legal move of an order. */
export interface OrderTransition {
  readonly rule: OrderRule;
  readonly from: readonly OrderStatus[];
  readonly to: OrderStatus;
  readonly event: OrderEventName | null;
}

/** Every legal move. A move that is not in this table is impossible, in the database too. */
export const ORDER_TRANSITIONS: readonly OrderTransition[] = [
  { rule: 'paid-in-time', from: ['PENDING'], to: 'SUCCESS', event: 'order.succeeded' },
  { rule: 'deadline-nothing-seen', from: ['PENDING'], to: 'OVERDUE', event: 'order.timeout' },
  { rule: 'deadline-short', from: ['PENDING'], to: 'PARTIAL', event: 'order.timeout' },
  { rule: 'cancelled', from: ['PENDING'], to: 'TERMINATED', event: null },
  { rule: 'late-payment', from: ['OVERDUE', 'PARTIAL'], to: 'RESOLVED', event: 'order.succeeded' },
  { rule: 'operator-accepted', from: ['OVERDUE', 'PARTIAL'], to: 'RESOLVED', event: 'order.succeeded' },
  { rule: 'refund-final', from: ['SUCCESS', 'RESOLVED', 'PARTIAL', 'OVERDUE'], to: 'REFUNDED', event: null },
  { rule: 'payment-reorganised-away', from: ['SUCCESS', 'RESOLVED'], to: 'TERMINATED', event: null },
];

/** The webhook event of a move. */
export function webhookEventOf({ event, to }: OrderTransition): WebhookEvent {
  return event ?? (to === 'REFUNDED' ? 'order.refunded' : 'order.terminated');
}

const byRule = new Map(ORDER_TRANSITIONS.map((transition) => [transition.rule, transition]));

/** The transition of a rule from a status; `null` when the table has none. */
export function findTransition(rule: OrderRule, from: OrderStatus): OrderTransition | null {
  const transition = byRule.get(rule);
  return transition !== undefined && transition.from.includes(from) ? transition : null;
}

/**
 * True when money that was received in this status can be refunded. A TERMINATED or REFUNDED order may receive money too; it keeps its
 * status when that is refunded.
 */
export function allowsRefund(status: OrderStatus): boolean {
  return status === 'TERMINATED' || status === 'REFUNDED' || findTransition('refund-final', status) !== null;
}

/** Every legal (from, to) pair, which the database enforces as well. */
export function legalMoves(): readonly (readonly [OrderStatus, OrderStatus])[] {
  const pairs = ORDER_TRANSITIONS.flatMap(({ from, to }) => from.map((status) => [status, to] as const));
  return pairs.filter(([from, to], index) => pairs.findIndex(([f, t]) => f === from && t === to) === index);
}

declare module '../kernel/events.ts' {
  interface DomainEvents {
    'order.created': { readonly orderId: OrderId; readonly accountId: AccountId };
    'order.status': {
      readonly orderId: OrderId;
      readonly from: OrderStatus;
      readonly to: OrderStatus;
      readonly rule: string;
    };
    'order.payment': { readonly orderId: OrderId };
  }
}
