import { CALLBACK_STATUSES, formatInstant, WEBHOOK_EVENTS } from '../../../../core/index.ts';
import type { Callback, CallbackDetail, CallbackId, WebhookId } from '../../../../core/index.ts';
import { z } from 'zod';
import { accountFilter, idParams, inputOf, recordId, word } from '../fields.ts';
import { apiOperation, manageList } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, time, whole } from '../reply-fields.ts';

const callbackFields = {
  id: id('ID of the callback'),
  account: id("ID of the account; null for an event of the till's own handlers").nullable(),
  order: id('ID of the order whose callback URL is called').nullable(),
  webhook: id('ID of the webhook endpoint that receives the event').nullable(),
  event: z.enum(WEBHOOK_EVENTS),
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  status: z.enum(CALLBACK_STATUSES),
  attempts: whole('Number of attempts so far'),
  next_attempt_at: instant('Time of the next attempt').nullable(),
  created_at: instant('Time of creation'),
  delivered_at: instant('Time of delivery').nullable(),
};
export const callbackSchema = z.object(callbackFields).meta({ id: 'Callback' });

const attemptSchema = z.object({
  at: instant('Time of the attempt'),
  duration_ms: whole('Duration in milliseconds'),
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
    account: callback.accountId,
    order: callback.orderId,
    webhook: callback.endpointId,
    event: callback.event,
    method: callback.method,
    url: callback.url,
    status,
    attempts: callback.attempts,
    next_attempt_at: status === 'PENDING' ? formatInstant(callback.nextAt) : null,
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

const params = idParams<CallbackId>('ID of the callback');

/** The operations of callbacks and webhook deliveries, with their attempts. */
export const callbackOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'callbacks.list', scope: 'read' },
    id: 'listCallbacks',
    path: '/callbacks',
    summary: 'List callbacks',
    description: 'Returns callbacks of orders and events of webhook endpoints, newest first.',
    errors: ['NOT_FOUND'],
    filter: {
      ...accountFilter,
      status: word(CALLBACK_STATUSES, 'Only records with this status').optional(),
      webhook: recordId<WebhookId>('Only events of this webhook endpoint').optional(),
    },
    name: 'CallbackList',
    item: callbackSchema,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.callbacks.list(actor, inputOf(query)), callbackRecord),
  }),
  apiOperation({
    offer: { name: 'callbacks.get', scope: 'read' },
    id: 'getCallback',
    method: 'GET',
    path: '/callbacks/{id}',
    summary: 'Retrieve a callback',
    description: 'Returns a callback with the result of each attempt.',
    errors: ['NOT_FOUND'],
    params,
    data: callbackDetailSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      callbackDetailRecord(await manage.callbacks.find(actor, id)),
  }),
  apiOperation({
    offer: { name: 'callbacks.redeliver', scope: 'create' },
    id: 'redeliverCallback',
    method: 'POST',
    path: '/callbacks/{id}/redeliver',
    summary: 'Retry a callback',
    description:
      'Sends a delivered or dead callback again, with a new schedule of attempts. An event goes to the current URL of its webhook endpoint, which must be enabled.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: callbackDetailSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      callbackDetailRecord(await manage.callbacks.redeliver(actor, id)),
  }),
];
