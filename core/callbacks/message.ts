import type { CallbackId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { OrderEventName } from '../orders/order-status.ts';
import type { Order } from '../orders/order.ts';
import type { Callback } from './callback.ts';

/** The fields of the order's record that a GET callback carries, in the order of decisions, section 7; `event` comes first. */
export const QUERY_FIELDS = ['order_id', 'status', 'chain', 'currency', 'amount', 'vs_price', 'vs_currency', 'tx_hash'] as const;
const OUR_NAMES: ReadonlySet<string> = new Set(['event', ...QUERY_FIELDS]);

/** The order's record as callbacks send it: the body of a POST as it is, part of it in the query of a GET. */
export type CallbackBody = { readonly [Field in (typeof QUERY_FIELDS)[number]]: string | null };

/** What a callback is made from. */
export interface CallbackInput {
  readonly id: CallbackId;
  readonly order: Pick<Order, 'id' | 'accountId' | 'credentialId' | 'type' | 'links' | 'enablePostCallback'>;
  readonly event: OrderEventName;
  readonly record: CallbackBody;
  readonly now: Millis;
}

/** The outbox row of an order's event, due now; `null` when the merchant gave no URL for the event. */
export function buildCallback({ id, order, event, record, now }: CallbackInput): Callback | null {
  const link = event === 'order.succeeded' ? order.links.callbackUrl : order.links.timeoutCallback;
  if (link === null) return null;
  // Lightning callbacks are GET (specification, "Events", rule 4).
  const method = order.enablePostCallback && order.type === 'ORDER' ? 'POST' : 'GET';
  return {
    id,
    accountId: order.accountId,
    orderId: order.id,
    event,
    credentialId: order.credentialId,
    method,
    url: method === 'POST' ? targetUrl(link, []) : targetUrl(link, queryOf(event, record)),
    body: method === 'POST' ? JSON.stringify(record) : null,
    status: 'PENDING',
    attempts: 0,
    nextAt: now,
    createdAt: now,
    deliveredAt: null,
  };
}

function queryOf(event: OrderEventName, record: CallbackBody): readonly string[] {
  return [`event=${event}`, ...QUERY_FIELDS.map((field) => `${field}=${encodeURIComponent(record[field] ?? '')}`)];
}

/**
 * The merchant's URL as it will be requested. Its query keeps its own bytes: it is cut at `&`, never decoded and
 * written anew; only parameters of our names give way to ours. A raw `|`, which would make the text that is signed
 * ambiguous, is percent-encoded, and the fragment, which no request carries, is dropped.
 */
function targetUrl(link: string, ours: readonly string[]): string {
  const url = new URL(link);
  url.hash = '';
  const own = url.search === '' ? [] : url.search.slice(1).split('&');
  const kept = ours.length === 0 ? own : own.filter((parameter) => !OUR_NAMES.has(nameOf(parameter)));
  url.search = [...kept, ...ours].join('&');
  return url.origin + (url.pathname + url.search).replaceAll('|', '%7C');
}

/** A parameter's name as every receiver reads it: percent-decoded, `+` a space. */
function nameOf(parameter: string): string {
  for (const name of new URLSearchParams(parameter).keys()) return name;
  return '';
}
