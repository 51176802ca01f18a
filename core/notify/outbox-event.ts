import type { Callback } from './callback.ts';
import type { CallbackId, IdGenerator, Millis } from '../kernel/index.ts';
import { formatInstant } from '../kernel/index.ts';
import { covers } from './event-types.ts';
import type { WebhookEvent } from './event-types.ts';
import { STANDARD_FORMAT } from './webhook-format.ts';
import type { Subscriber } from './webhook.ts';

/** An event of a record. */
export interface OutboxEvent {
  readonly type: WebhookEvent;
  /** The record's id: an endpoint gets the events of one record in order. */
  readonly subjectId: string;
  readonly at: Millis;
  /** The record as JSON; called only when an endpoint is subscribed to the event. */
  readonly data: () => string;
}

/** The rows of the outbox for the subscribers of the event in the till's own format; due now. */
export function outboxRows(
  ids: IdGenerator,
  endpoints: readonly Subscriber[],
  event: OutboxEvent,
): readonly Callback[] {
  const wanting = endpoints.filter(({ events, format }) => format === STANDARD_FORMAT && covers(events, event.type));
  return wanting.length === 0 ? [] : rowsFor(ids, wanting, event);
}

/** The rows of the outbox for these endpoints, whatever their subscriptions are. */
export function rowsFor(
  ids: IdGenerator,
  endpoints: readonly Omit<Subscriber, 'events' | 'format'>[],
  { type, subjectId, at, data }: OutboxEvent,
): readonly Callback[] {
  const body = `{"type":"${type}","timestamp":"${formatInstant(at)}","data":${data()}}`;
  return endpoints.map(({ id: endpointId, accountId, url }) => ({
    id: ids.next() as CallbackId,
    accountId,
    orderId: null,
    endpointId,
    subjectId,
    event: type,
    credentialId: null,
    method: 'POST',
    url,
    body,
    status: 'PENDING',
    attempts: 0,
    nextAt: at,
    createdAt: at,
    deliveredAt: null,
  }));
}
