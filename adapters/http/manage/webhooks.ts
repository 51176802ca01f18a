import { formatInstant, MAX_WEBHOOKS, WEBHOOK_PATTERNS } from '../../../core/index.ts';
import type { RevealedWebhook, WebhookEndpoint, WebhookId } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { accountExample } from './accounts.ts';
import { accountFilter, idParams, inputOf, ownerField, texts, yesNo } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, pageRecord, time } from './reply-fields.ts';

const MAX_URL = 2048;
const MAX_PATTERN = 64;

const webhookFields = {
  id: id('The endpoint'),
  account_id: id('Its account'),
  url: z.string(),
  events: z.array(z.string()).readonly().meta({ description: 'Types, or groups such as order.*' }),
  enabled: z.boolean(),
  former_until: instant('Until when the former secret signs too').nullable(),
  created_at: instant('Creation'),
  updated_at: instant('The last change'),
};
export const webhookSchema = z.object(webhookFields).meta({ id: 'WebhookItem' });

/** The secret is shown here and never again. An admin does not get that of another account. */
export const revealedSchema = z
  .object({ ...webhookFields, secret: z.string().optional() })
  .meta({ id: 'RevealedWebhook' });

type WebhookRecord = z.input<typeof webhookSchema>;

function webhookRecord(endpoint: WebhookEndpoint): WebhookRecord {
  return {
    id: endpoint.id,
    account_id: endpoint.accountId,
    url: endpoint.url,
    events: endpoint.events,
    enabled: endpoint.enabled,
    former_until: time(endpoint.previousUntil),
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
  account_id: accountExample.id,
  url: 'https://shop.example/events',
  events: ['order.*', 'refund.succeeded'],
  enabled: true,
  former_until: null,
  created_at: accountExample.created_at,
  updated_at: accountExample.created_at,
} as const satisfies WebhookRecord;

const params = idParams<WebhookId>('The endpoint');
const url = text(MAX_URL, 'Where events are sent, by POST');
const events = texts(
  WEBHOOK_PATTERNS.length,
  MAX_PATTERN,
  `What is sent: types, or groups such as order.*. One of ${WEBHOOK_PATTERNS.join(', ')}`,
);
const enabled = yesNo('Whether events are sent; what waits while it is switched off is given up');

/** Webhook endpoints (decisions, section 14). Their deliveries are read and repeated with the operations of callbacks. */
export const webhookOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listWebhooks',
    path: '/webhooks',
    summary: 'Webhook endpoints',
    description: 'Newest first. What was sent to one of them is in `callbacks?webhook_id=…`.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'WebhookList',
    item: webhookSchema,
    example,
    handler: async ({ actor, query: { account_id: accountId, ...page } }, { manage }) =>
      pageRecord(await manage.webhooks.list(actor, accountId, page), webhookRecord),
  }),
  manageOperation({
    id: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    status: 201,
    summary: 'Make a webhook endpoint',
    description: `At most ${MAX_WEBHOOKS} for an account. The secret, with which events are signed as Standard Webhooks says, is shown now and never again. alert.raised is sent to admins only.`,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({ account_id: ownerField, url, events, enabled: enabled.optional() }),
    data: revealedSchema,
    handler: async ({ actor, body }, { manage }) => revealedRecord(await manage.webhooks.create(actor, inputOf(body))),
  }),
  manageOperation({
    id: 'getWebhook',
    method: 'GET',
    path: '/webhooks/{id}',
    summary: 'A webhook endpoint',
    description: 'Without its secret.',
    errors: ['NOT_FOUND'],
    params,
    data: webhookSchema,
    examples: { data: example },
    handler: async ({ actor, params: { id } }, { manage }) => webhookRecord(await manage.webhooks.find(actor, id)),
  }),
  manageOperation({
    id: 'updateWebhook',
    method: 'PATCH',
    path: '/webhooks/{id}',
    summary: 'Change a webhook endpoint',
    description: 'What waits goes to the new URL. Switching it off gives up what waits; that can be sent again later.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ url: url.optional(), events: events.optional(), enabled: enabled.optional() }),
    data: webhookSchema,
    handler: async ({ actor, params: { id }, body }, { manage }) =>
      webhookRecord(await manage.webhooks.update(actor, id, inputOf(body))),
  }),
  manageOperation({
    id: 'removeWebhook',
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Remove a webhook endpoint',
    description: 'What waits for it is not sent.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: z.object({ id: id('The endpoint'), removed: z.literal(true) }).meta({ id: 'RemovedWebhook' }),
    handler: async ({ actor, params }, { manage }) => {
      const { id } = await manage.webhooks.remove(actor, params.id);
      return { id, removed: true as const };
    },
  }),
  manageOperation({
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/webhooks/{id}/rotate',
    summary: 'Make a new secret',
    description: 'For 24 hours events carry a second signature, with the former secret.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: revealedSchema,
    handler: async ({ actor, params: { id } }, { manage }) => revealedRecord(await manage.webhooks.rotate(actor, id)),
  }),
  manageOperation({
    id: 'testWebhook',
    method: 'POST',
    path: '/webhooks/{id}/test',
    summary: 'Send a test event',
    description:
      '`webhook.test`, whatever the endpoint receives otherwise. How it went is in `callbacks?webhook_id=…`.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: webhookSchema,
    handler: async ({ actor, params: { id } }, { manage }) => webhookRecord(await manage.webhooks.test(actor, id)),
  }),
];
