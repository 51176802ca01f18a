import { formatInstant, MAX_WEBHOOKS, STANDARD_FORMAT, WEBHOOK_PATTERNS } from '../../../../core/index.ts';
import type { RevealedWebhook, WebhookEndpoint, WebhookId } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { GREENFIELD_FORMAT } from '../../greenfield/webhook-format.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, idParams, inputOf, ownerField, texts, yesNo } from '../fields.ts';
import { apiOperation, manageList } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, time } from '../reply-fields.ts';

const MAX_URL = 2048;
const MAX_PATTERN = 64;
const WEBHOOK_FORMATS = [STANDARD_FORMAT, GREENFIELD_FORMAT] as const;

const webhookFields = {
  id: id('ID of the endpoint'),
  account: id('ID of the account'),
  url: z.string(),
  events: z
    .array(z.string())
    .readonly()
    .meta({ description: 'Event types, or groups such as order.*; in another format its own types, or * for all' }),
  format: z.enum(WEBHOOK_FORMATS).meta({
    description: "Form of the events: standard is the till's own; greenfield that of plugins of shop systems",
  }),
  enabled: z.boolean(),
  previous_secret_expires_at: instant('Time until which events are also signed with the previous secret').nullable(),
  created_at: instant('Time of creation'),
  updated_at: instant('Time of the last change'),
};
export const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook' });

/** The secret is shown only in this reply, and never to an admin of another account. */
export const revealedSchema = z
  .object({ ...webhookFields, secret: z.string().optional() })
  .meta({ id: 'RevealedWebhook' });

type WebhookRecord = z.input<typeof webhookSchema>;

function webhookRecord(endpoint: WebhookEndpoint): WebhookRecord {
  return {
    id: endpoint.id,
    account: endpoint.accountId,
    url: endpoint.url,
    events: endpoint.events,
    format: endpoint.format as (typeof WEBHOOK_FORMATS)[number],
    enabled: endpoint.enabled,
    previous_secret_expires_at: time(endpoint.previousUntil),
    created_at: formatInstant(endpoint.createdAt),
    updated_at: formatInstant(endpoint.updatedAt),
  };
}

const revealedRecord = ({ endpoint, secret }: RevealedWebhook): z.input<typeof revealedSchema> => ({
  ...webhookRecord(endpoint),
  ...(secret === null ? {} : { secret }),
});

const example = {
  id: '1530219001148092418',
  account: accountExample.id,
  url: 'https://shop.example/events',
  events: ['order.*', 'refund.succeeded'],
  format: STANDARD_FORMAT,
  enabled: true,
  previous_secret_expires_at: null,
  created_at: accountExample.created_at,
  updated_at: accountExample.created_at,
} as const satisfies WebhookRecord;

const params = idParams<WebhookId>('ID of the endpoint');
const url = text(MAX_URL, 'URL to which events are sent by POST');
const events = texts(
  WEBHOOK_PATTERNS.length,
  MAX_PATTERN,
  `What is sent: types, or groups such as order.*. One of ${WEBHOOK_PATTERNS.join(', ')}. For an endpoint of another format, its own types.`,
);
const enabled = yesNo('Whether events are sent. Events that are waiting when it is disabled are given up.');

/** The operations of webhook endpoints. Their deliveries are read and repeated with the operations of callbacks. */
export const webhookOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'webhooks.list', scope: 'read' },
    id: 'listWebhooks',
    path: '/webhooks',
    summary: 'List webhook endpoints',
    description: 'Returns webhook endpoints, newest first. List their deliveries with `callbacks?webhook=…`.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'WebhookList',
    item: webhookSchema,
    example,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.webhooks.list(actor, inputOf(query)), webhookRecord),
  }),
  apiOperation({
    offer: { name: 'webhooks.create', scope: null },
    id: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    status: 201,
    summary: 'Create a webhook endpoint',
    description: `Creates a webhook endpoint and returns the secret that signs its events as Standard Webhooks specifies. The secret is shown only once. alert.raised is sent to admins only. An account can have at most ${MAX_WEBHOOKS}.`,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({ account: ownerField, url, events, enabled: enabled.optional() }),
    data: revealedSchema,
    examples: { body: { url: example.url, events: ['order.*', 'withdrawal.*'] } },
    handler: async ({ actor, body }, { manage }) => revealedRecord(await manage.webhooks.create(actor, inputOf(body))),
  }),
  apiOperation({
    offer: { name: 'webhooks.get', scope: 'read' },
    id: 'getWebhook',
    method: 'GET',
    path: '/webhooks/{id}',
    summary: 'Retrieve a webhook endpoint',
    description: 'Returns a webhook endpoint without its secret.',
    errors: ['NOT_FOUND'],
    params,
    data: webhookSchema,
    examples: { data: example },
    handler: async ({ actor, params: { id } }, { manage }) => webhookRecord(await manage.webhooks.find(actor, id)),
  }),
  apiOperation({
    offer: { name: 'webhooks.update', scope: null },
    id: 'updateWebhook',
    method: 'PATCH',
    path: '/webhooks/{id}',
    summary: 'Update a webhook endpoint',
    description:
      'Waiting events go to the new URL. Disabling the endpoint gives up waiting events, which can be sent again later.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ url: url.optional(), events: events.optional(), enabled: enabled.optional() }),
    data: webhookSchema,
    handler: async ({ actor, params: { id }, body }, { manage }) =>
      webhookRecord(await manage.webhooks.update(actor, id, inputOf(body))),
  }),
  apiOperation({
    offer: { name: 'webhooks.remove', scope: null },
    id: 'removeWebhook',
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook endpoint',
    description: 'Deletes the endpoint. Its waiting events are not sent.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: z.object({ id: id('ID of the endpoint'), removed: z.literal(true) }).meta({ id: 'RemovedWebhook' }),
    handler: async ({ actor, params }, { manage }) => {
      const { id } = await manage.webhooks.remove(actor, params.id);
      return { id, removed: true as const };
    },
  }),
  apiOperation({
    offer: { name: 'webhooks.rotate', scope: null },
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/webhooks/{id}/rotate',
    summary: 'Rotate the secret',
    description: 'Returns a new secret. For 24 hours events are also signed with the previous secret.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: revealedSchema,
    handler: async ({ actor, params: { id } }, { manage }) => revealedRecord(await manage.webhooks.rotate(actor, id)),
  }),
  apiOperation({
    offer: { name: 'webhooks.test', scope: null },
    id: 'testWebhook',
    method: 'POST',
    path: '/webhooks/{id}/test',
    summary: 'Send a test event',
    description:
      'Sends `webhook.test`, whether or not the endpoint subscribes to it. See `callbacks?webhook=…` for the result.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: webhookSchema,
    handler: async ({ actor, params: { id } }, { manage }) => webhookRecord(await manage.webhooks.test(actor, id)),
  }),
];
