import { CALLBACK_STATUSES, formatInstant, WEBHOOK_EVENTS } from '../../../core/index.ts';
import type { Callback, CallbackDetail, CallbackId, WebhookId } from '../../../core/index.ts';
import { z } from 'zod';
import { accountFilter, cursorFields, idParams, inputOf, recordId, word } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { cursorPage, id, instant, time, whole } from './reply-fields.ts';

const callbackFields = {
  id: id('The callback'),
  account_id: id('Its account'),
  order_id: id('The order whose own URL is called').nullable(),
  webhook_id: id('The webhook endpoint that receives the event').nullable(),
  event: z.enum(WEBHOOK_EVENTS),
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  status: z.enum(CALLBACK_STATUSES),
  attempts: whole('Attempts so far'),
  next_at: instant('The next attempt').nullable(),
  created_at: instant('Creation'),
  delivered_at: instant('When it arrived').nullable(),
};
export const callbackSchema = z.object(callbackFields).meta({ id: 'CallbackItem' });

const attemptSchema = z.object({
  at: instant('When'),
  duration_ms: whole('Milliseconds'),
  http_status: z
    .number()
    .nullable()
    .meta({ type: ['integer', 'null'] }),
  error: z.string().nullable(),
});
export const callbackDetailSchema = z
  .object({ ...callbackFields, body: z.string().nullable(), log: z.array(attemptSchema).readonly() })
  .meta({ id: 'CallbackDetail' });

export function callbackRecord(callback: Callback): z.input<typeof callbackSchema> {
  const { status } = callback;
  return {
    id: callback.id,
    account_id: callback.accountId,
    order_id: callback.orderId,
    webhook_id: callback.endpointId,
    event: callback.event,
    method: callback.method,
    url: callback.url,
    status,
    attempts: callback.attempts,
    next_at: status === 'PENDING' ? formatInstant(callback.nextAt) : null,
    created_at: formatInstant(callback.createdAt),
    delivered_at: time(callback.deliveredAt),
  };
}

function callbackDetailRecord({ callback, attempts }: CallbackDetail): z.input<typeof callbackDetailSchema> {
  const log = attempts.map(({ at, durationMs, httpStatus, error }) => ({
    at: formatInstant(at),
    duration_ms: Math.round(durationMs),
    http_status: httpStatus,
    error,
  }));
  return { ...callbackRecord(callback), body: callback.body, log };
}

const params = idParams<CallbackId>('The callback');

/** Callbacks and events of webhook endpoints, with their attempts (decisions, sections 7 and 14). */
export const callbackOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listCallbacks',
    method: 'GET',
    path: '/callbacks',
    summary: 'Callbacks',
    description:
      'Callbacks of orders and events of webhook endpoints, newest first. `next_cursor` asks for the next page of the same list, with the same filters.',
    errors: ['NOT_FOUND'],
    query: z.object({
      ...accountFilter,
      status: word(CALLBACK_STATUSES, 'Only these').optional(),
      webhook_id: recordId<WebhookId>('Only the events of this webhook endpoint').optional(),
      ...cursorFields,
    }),
    data: cursorPage('CallbackList', callbackSchema),
    handler: async ({ actor, query: { limit, ...query } }, { manage }) => {
      const { items, nextCursor } = await manage.callbacks.list(actor, { ...inputOf(query), limit });
      return { items: items.map(callbackRecord), next_cursor: nextCursor };
    },
  }),
  manageOperation({
    id: 'getCallback',
    method: 'GET',
    path: '/callbacks/{id}',
    summary: 'A callback',
    description: 'With how each attempt went.',
    errors: ['NOT_FOUND'],
    params,
    data: callbackDetailSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      callbackDetailRecord(await manage.callbacks.find(actor, id)),
  }),
  manageOperation({
    id: 'redeliverCallback',
    method: 'POST',
    path: '/callbacks/{id}/redeliver',
    summary: 'Send a callback again',
    description:
      'A delivered or a dead one, its schedule from the start. One of a webhook endpoint goes to its present URL, and not while it is disabled.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: callbackDetailSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      callbackDetailRecord(await manage.callbacks.redeliver(actor, id)),
  }),
];
