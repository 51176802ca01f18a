import { parse } from 'lossless-json';
import { EVERY_EVENT, TillgateError } from '../../../core/index.ts';
import type { Actor, CallbackDetail, CallbackId, WebhookEndpoint, WebhookId } from '../../../core/index.ts';
import { z } from 'zod';
import { InvalidRequest } from '../invalid-request.ts';
import type { GreenfieldDeps } from './deps.ts';
import { inSeconds, maybeFlag, maybeText, maybeTexts, queryCount, seconds } from './fields.ts';
import { greenfieldOperation } from './operation.ts';
import type { GreenfieldOperation } from './operation.ts';
import { GREENFIELD_FORMAT, SUBSCRIBED_TYPES } from './webhook-format.ts';

const MAX_URL = 2048;
const MAX_SECRET = 256;
const MAX_DELIVERIES = 100;
const DELIVERIES = 20;

const eventsField = z
  .object({
    everything: maybeFlag('Every event; the default where no event is named'),
    specificEvents: maybeTexts(SUBSCRIBED_TYPES.length, 64, `Of ${SUBSCRIBED_TYPES.join(', ')}`),
  })
  .nullish();

const body = z.object({
  url: maybeText(MAX_URL, 'URL to which events are sent by POST'),
  enabled: maybeFlag('Whether events are sent; true by default'),
  automaticRedelivery: maybeFlag('Ignored: a failed delivery is always repeated, on the schedule of the till'),
  secret: maybeText(MAX_SECRET, 'Your own secret; the till makes one by default'),
  authorizedEvents: eventsField,
});

const webhookFields = {
  id: z.string(),
  enabled: z.boolean(),
  automaticRedelivery: z.literal(true),
  url: z.string(),
  authorizedEvents: z.object({ everything: z.boolean(), specificEvents: z.array(z.string()).readonly() }),
};
const webhookSchema = z.object(webhookFields).meta({ id: 'GreenfieldWebhook' });
const createdSchema = z
  .object({ ...webhookFields, secret: z.string().meta({ description: 'Shown only in this reply' }) })
  .meta({ id: 'GreenfieldCreatedWebhook' });

const deliverySchema = z
  .object({
    id: z.string(),
    timestamp: seconds('Time of the event'),
    deliveryTime: seconds('Time of the last attempt'),
    httpCode: z.number().nullable(),
    errorMessage: z.string().nullable(),
    status: z.enum(['HttpSuccess', 'HttpError', 'Failed']),
  })
  .meta({ id: 'GreenfieldDelivery' });

function webhookRecord({ id, enabled, url, events }: WebhookEndpoint): z.input<typeof webhookSchema> {
  const everything = events.includes(EVERY_EVENT);
  const specificEvents = everything ? [] : events;
  return { id, enabled, automaticRedelivery: true, url, authorizedEvents: { everything, specificEvents } };
}

/** The subscriptions that a request asks for. @throws InvalidRequest for no event, and for an unknown one */
function patternsOf(asked: z.output<typeof eventsField>): readonly string[] {
  const { everything = null, specificEvents = null } = asked ?? {};
  if (everything === true || (everything === null && specificEvents === null)) return [EVERY_EVENT];
  if (specificEvents !== null && specificEvents.length > 0) return specificEvents;
  const message = 'must name an event where everything is false';
  throw new InvalidRequest([{ path: 'authorizedEvents.specificEvents', message }]);
}

/** @throws InvalidRequest */
function urlOf(url: string | null): string {
  if (url === null) throw new InvalidRequest([{ path: 'url', message: 'is required' }]);
  return url;
}

/**
 * An endpoint of shop plugins. Others of the account are not theirs.
 *
 * @throws TillgateError `NOT_FOUND`
 */
async function find(actor: Actor, id: string, { manage }: GreenfieldDeps): Promise<WebhookEndpoint> {
  const endpoint = await manage.webhooks.find(actor, id as WebhookId);
  if (endpoint.format !== GREENFIELD_FORMAT) throw new TillgateError('NOT_FOUND', 'There is no such webhook.');
  return endpoint;
}

/** A delivery of an endpoint. @throws TillgateError `NOT_FOUND` */
async function findDelivery(
  actor: Actor,
  webhookId: string,
  id: string,
  deps: GreenfieldDeps,
): Promise<CallbackDetail> {
  const endpoint = await find(actor, webhookId, deps);
  const found = await deps.manage.callbacks.find(actor, id as CallbackId);
  if (found.callback.endpointId !== endpoint.id) throw new TillgateError('NOT_FOUND', 'There is no such delivery.');
  return found;
}

/** The body of a delivery. @throws TillgateError `STATE_CONFLICT` once it is no longer kept */
function bodyOf({ callback }: CallbackDetail): string {
  if (callback.body !== null) return callback.body;
  throw new TillgateError('STATE_CONFLICT', 'The delivery is so old that its body is no longer kept.', {
    reason: 'webhookdelivery-pruned',
  });
}

/** A delivery with an attempt; none for one that was not attempted yet. */
function deliveryRecords({ callback, attempts }: CallbackDetail): z.input<typeof deliverySchema>[] {
  const last = attempts.at(-1);
  if (last === undefined) return [];
  const { httpStatus: httpCode, error: errorMessage } = last;
  const failed = httpCode === null ? 'Failed' : 'HttpError';
  const isSuccess = httpCode !== null && httpCode >= 200 && httpCode < 300;
  return [
    {
      id: callback.id,
      timestamp: inSeconds(callback.createdAt),
      deliveryTime: inSeconds(last.at),
      httpCode,
      errorMessage,
      status: isSuccess ? 'HttpSuccess' : failed,
    },
  ];
}

const permission = 'btcpay.store.webhooks.canmodifywebhooks';
const resource = 'webhook';
const hook = (rest = ''): [string, string] => [
  `/stores/{storeId}/webhooks/{webhookId}${rest}`,
  `/webhooks/{webhookId}${rest}`,
];
const params = z.object({ webhookId: z.string() });
const deliveryParams = z.object({ webhookId: z.string(), deliveryId: z.string() });

/** The operations of webhooks: endpoints of an account that receive events in the format of shop plugins. */
export const webhookOperations: readonly GreenfieldOperation[] = [
  greenfieldOperation({
    id: 'listWebhooks',
    method: 'GET',
    paths: ['/stores/{storeId}/webhooks'],
    permission,
    resource: 'store',
    summary: 'List webhooks',
    description: 'Returns the webhooks of shop plugins, newest first. Other endpoints of the account are left out.',
    data: z.array(webhookSchema),
    handler: async ({ actor }, { manage }) => {
      const { items } = await manage.webhooks.list(actor, { limit: MAX_DELIVERIES });
      return items.filter(({ format }) => format === GREENFIELD_FORMAT).map(webhookRecord);
    },
  }),
  greenfieldOperation({
    id: 'createWebhook',
    method: 'POST',
    paths: ['/stores/{storeId}/webhooks'],
    permission,
    resource: 'store',
    summary: 'Create a webhook',
    description: 'Creates a webhook. Its secret signs each body in the header `BTCPay-Sig`.',
    errors: ['STATE_CONFLICT'],
    body,
    data: createdSchema,
    handler: async ({ actor, body: sent }, { manage }) => {
      const { endpoint, secret } = await manage.webhooks.create(actor, {
        url: urlOf(sent.url),
        events: patternsOf(sent.authorizedEvents),
        enabled: sent.enabled ?? true,
        format: GREENFIELD_FORMAT,
        ...(sent.secret !== null && { secret: sent.secret }),
      });
      return { ...webhookRecord(endpoint), secret: secret ?? '' };
    },
  }),
  greenfieldOperation({
    id: 'getWebhook',
    method: 'GET',
    paths: hook(),
    permission,
    resource,
    summary: 'Retrieve a webhook',
    description: 'Returns a webhook without its secret.',
    errors: ['NOT_FOUND'],
    params,
    data: webhookSchema,
    handler: async ({ actor, params: { webhookId } }, deps) => webhookRecord(await find(actor, webhookId, deps)),
  }),
  greenfieldOperation({
    id: 'updateWebhook',
    method: 'PUT',
    paths: hook(),
    permission,
    resource,
    summary: 'Change a webhook',
    description:
      'Events that wait go to the new URL. A secret that is given is in force at once; without one it stays.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body,
    data: webhookSchema,
    handler: async ({ actor, params: { webhookId }, body: sent }, deps) => {
      const { id } = await find(actor, webhookId, deps);
      const changed = await deps.manage.webhooks.update(actor, id, {
        url: urlOf(sent.url),
        events: patternsOf(sent.authorizedEvents),
        enabled: sent.enabled ?? true,
        ...(sent.secret !== null && { secret: sent.secret }),
      });
      return webhookRecord(changed);
    },
  }),
  greenfieldOperation({
    id: 'removeWebhook',
    method: 'DELETE',
    paths: hook(),
    permission,
    resource,
    summary: 'Delete a webhook',
    description: 'Deletes the webhook. Its waiting events are not sent.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: z.object({}),
    handler: async ({ actor, params: { webhookId } }, deps) => {
      await deps.manage.webhooks.remove(actor, (await find(actor, webhookId, deps)).id);
      return {};
    },
  }),
  greenfieldOperation({
    id: 'listDeliveries',
    method: 'GET',
    paths: hook('/deliveries'),
    permission,
    resource,
    summary: 'List the deliveries of a webhook',
    description: 'Returns the latest deliveries that were attempted, newest first.',
    errors: ['NOT_FOUND'],
    params,
    query: z.object({ count: queryCount(DELIVERIES, MAX_DELIVERIES, 'Most deliveries of the reply') }),
    data: z.array(deliverySchema),
    handler: async ({ actor, params: { webhookId }, query: { count } }, deps) => {
      const { id } = await find(actor, webhookId, deps);
      const limit = Math.max(1, count ?? DELIVERIES);
      const { items } = await deps.manage.callbacks.list(actor, { webhookId: id, limit });
      const details = await Promise.all(items.map((item) => deps.manage.callbacks.find(actor, item.id)));
      return details.flatMap(deliveryRecords);
    },
  }),
  greenfieldOperation({
    id: 'getDelivery',
    method: 'GET',
    paths: hook('/deliveries/{deliveryId}'),
    permission,
    resource: 'webhookdelivery',
    summary: 'Retrieve a delivery',
    description: 'Returns a delivery that was attempted.',
    errors: ['NOT_FOUND'],
    params: deliveryParams,
    data: deliverySchema,
    handler: async ({ actor, params: { webhookId, deliveryId } }, deps) => {
      const [record] = deliveryRecords(await findDelivery(actor, webhookId, deliveryId, deps));
      if (record === undefined) throw new TillgateError('NOT_FOUND', 'The delivery was not attempted yet.');
      return record;
    },
  }),
  greenfieldOperation({
    id: 'getDeliveryRequest',
    method: 'GET',
    paths: hook('/deliveries/{deliveryId}/request'),
    permission,
    resource: 'webhookdelivery',
    summary: 'Retrieve the body of a delivery',
    description: 'Returns the body that is sent.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: deliveryParams,
    data: z.unknown().meta({ type: 'object' }),
    handler: async ({ actor, params: { webhookId, deliveryId } }, deps) =>
      parse(bodyOf(await findDelivery(actor, webhookId, deliveryId, deps))),
  }),
  greenfieldOperation({
    id: 'redeliver',
    method: 'POST',
    paths: hook('/deliveries/{deliveryId}/redeliver'),
    permission,
    resource: 'webhookdelivery',
    summary: 'Send a delivery again',
    description: 'Sends the event as a new delivery, and returns the id of it.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: deliveryParams,
    data: z.string(),
    handler: async ({ actor, params: { webhookId, deliveryId } }, deps) => {
      const delivery = await findDelivery(actor, webhookId, deliveryId, deps);
      bodyOf(delivery);
      return deps.manage.callbacks.sendAgain(actor, delivery.callback.id);
    },
  }),
];
