import type { CallbackId, Millis } from '../kernel/index.ts';
import type { OrderEventName } from './order-status.ts';
import type { Order } from './order.ts';
import type { CallbackContent } from './callback-presenter.ts';
import type { Callback } from '../notify/index.ts';

/** The input of {@link buildCallback}. */
export interface CallbackInput {
  readonly id: CallbackId;
  readonly order: Pick<Order, 'id' | 'accountId' | 'credentialId' | 'type' | 'links' | 'enablePostCallback'>;
  readonly event: OrderEventName;
  readonly content: CallbackContent;
  readonly now: Millis;
}

/** The outbox row of an order's event, due now; `null` when the merchant set no URL for the event. */
export function buildCallback({ id, order, event, content, now }: CallbackInput): Callback | null {
  const link = event === 'order.succeeded' ? order.links.callbackUrl : order.links.timeoutCallback;
  if (link === null) return null;
  // Lightning callbacks are GET.
  const method = order.enablePostCallback && order.type === 'ORDER' ? 'POST' : 'GET';
  return {
    id,
    accountId: order.accountId,
    orderId: order.id,
    endpointId: null,
    subjectId: null,
    event,
    credentialId: order.credentialId,
    method,
    url: targetUrl(link, method === 'POST' ? [] : content.query),
    body: method === 'POST' ? content.body : null,
    status: 'PENDING',
    attempts: 0,
    nextAt: now,
    createdAt: now,
    deliveredAt: null,
  };
}

/**
 * The merchant's URL as it is requested. Its query is split at `&` and never decoded and encoded again; only parameters
 * with the till's names are replaced. A raw `|` is percent-encoded, because it would make the signed text ambiguous.
 * The fragment is dropped.
 */
function targetUrl(link: string, ours: CallbackContent['query']): string {
  const url = new URL(link);
  url.hash = '';
  const own = url.search === '' ? [] : url.search.slice(1).split('&');
  const names = new Set(ours.map(([name]) => name));
  const kept = own.filter((parameter) => !names.has(nameOf(parameter)));
  url.search = [...kept, ...ours.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)].join('&');
  return url.origin + (url.pathname + url.search).replaceAll('|', '%7C');
}

/** The name of a parameter as receivers decode it: percent-decoded, `+` is a space. */
function nameOf(parameter: string): string {
  for (const name of new URLSearchParams(parameter).keys()) return name;
  return '';
}
