import { APP_KEY_STATES, formatInstant, KEY_BOUNDS, restrictionsOf } from '../../../../core/index.ts';
import type { AppId, AppKeyId, IssuedKey } from '../../../../core/index.ts';
import { z } from 'zod';
import { accountExample } from '../access/accounts.ts';
import { idParams, inputOf, instantField, plainNumber, recordId, texts } from '../fields.ts';
import { apiOperation, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, time, whole } from '../reply-fields.ts';

const about = {
  methods:
    'Methods that the key may call, by name or `prefix*`, among those of the gateway; HTTP methods on gateways of the protocol http; empty for all',
  networks: 'Networks in CIDR notation from which the key is accepted; empty for any',
  origins:
    'Origins of web pages with which the key is accepted; requests without one are refused; empty for any request',
  unitsPerMinute: 'Units that the calls of the key may cost in a minute, on all gateways together; null for no limit',
  end: 'Time from which the key is refused; null for none',
} as const;
const list = (description: string) => z.array(z.string()).readonly().meta({ description });

export const appKeySchema = z
  .object({
    id: id('ID of the key'),
    api_key: z.string().min(1).max(128).meta({
      description:
        'The key itself when it is created or revealed to the owner of its App; otherwise only its first and last characters',
    }),
    state: z.enum(APP_KEY_STATES).meta({ id: 'AppKeyState' }),
    methods: list(about.methods),
    networks: list(about.networks),
    origins: list(about.origins),
    units_per_minute: z
      .number()
      .nullable()
      .meta({ type: ['integer', 'null'], minimum: 1, description: about.unitsPerMinute }),
    expires_at: instant(
      'Time from which the key is refused: its own end, or that of its grace period if that is earlier',
    ).nullable(),
    revoked_at: instant('Time of revocation').nullable(),
    created_at: instant('Time of creation'),
    last_used_at: instant('Time of the last use').nullable(),
  })
  .meta({ id: 'AppKey' });

type AppKeyRecord = z.input<typeof appKeySchema>;

export function appKeyRecord({ key, text, state }: IssuedKey): AppKeyRecord {
  const { methods, networks, origins, unitsPerMinute } = restrictionsOf(key.restrictions);
  return {
    id: key.id,
    api_key: text,
    state,
    methods,
    networks,
    origins,
    units_per_minute: unitsPerMinute,
    expires_at: time(key.expiresAt),
    revoked_at: time(key.revokedAt),
    created_at: formatInstant(key.createdAt),
    last_used_at: time(key.lastUsedAt),
  };
}

export const keyExample = {
  id: '1530218521990275072',
  api_key: '<App key>',
  state: 'active',
  methods: [],
  networks: [],
  origins: [],
  units_per_minute: null,
  expires_at: null,
  revoked_at: null,
  created_at: accountExample.created_at,
  last_used_at: null,
} as const satisfies AppKeyRecord;

const ends = instantField(about.end).nullable().optional();
const { methods, networks, origins, methodLength, textLength } = KEY_BOUNDS;
/** The options of a new or changed key. */
const optionsBody = z.object({
  methods: texts(methods, methodLength, about.methods).optional(),
  networks: texts(networks, textLength, about.networks).optional(),
  origins: texts(origins, textLength, about.origins).optional(),
  units_per_minute: plainNumber(about.unitsPerMinute, true).nullable().optional(),
  expires_at: ends,
});

const params = idParams<AppId>('ID of the App');
const keyParams = params.extend({ key: recordId<AppKeyId>('ID of the key') });

/** The operations of App keys. */
export const appKeyOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'app_keys.list', scope: null },
    id: 'listAppKeys',
    method: 'GET',
    path: '/apps/{id}/keys',
    summary: 'List keys of an App',
    description: 'Returns the keys of an App, newest first and masked.',
    errors: ['NOT_FOUND'],
    params,
    data: z
      .object({ total: whole('Number of keys'), items: z.array(appKeySchema).readonly() })
      .meta({ id: 'AppKeyList' }),
    examples: { data: { total: 1, items: [keyExample] } },
    handler: async ({ actor, params: { id } }, { manage }) => {
      const keys = await manage.apps.keys(actor, id);
      return { total: keys.length, items: keys.map(appKeyRecord) };
    },
  }),
  manageOperation({
    id: 'revealAppKey',
    method: 'POST',
    path: '/apps/{id}/keys/{key}/reveal',
    summary: 'Reveal a key',
    description:
      'Returns the key in plain text, to the owner of the App only; admins are no exception. The audit log records it. Requires a step-up.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: keyParams,
    data: appKeySchema,
    examples: { data: keyExample },
    handler: async ({ actor, params: { id, key: keyId } }, { manage }) =>
      appKeyRecord(await manage.apps.revealKey(actor, id, keyId)),
  }),
  apiOperation({
    offer: { name: 'app_keys.create', scope: null },
    id: 'createAppKey',
    method: 'POST',
    path: '/apps/{id}/keys',
    status: 201,
    summary: 'Create a key',
    description:
      'Creates a key if the App has no active one, or one that has expired. Owner of the App only; requires a step-up.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: optionsBody,
    data: appKeySchema,
    examples: { body: { networks: ['203.0.113.0/24'] }, data: { ...keyExample, networks: ['203.0.113.0/24'] } },
    handler: async ({ actor, params: { id }, body }, { manage }) =>
      appKeyRecord(await manage.apps.createKey(actor, id, inputOf(body))),
  }),
  apiOperation({
    offer: { name: 'app_keys.rotate', scope: null },
    id: 'rotateAppKey',
    method: 'POST',
    path: '/apps/{id}/keys/rotate',
    summary: 'Rotate a key',
    description:
      'Creates a new key with the limits of the replaced one, which stays valid for the grace period. Owner of the App only; requires a step-up.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({
      grace_seconds: plainNumber('Grace period in seconds, from 0 to 7 days', true).optional(),
      expires_at: ends,
    }),
    data: z.object({ key: appKeySchema, replaced: appKeySchema }).meta({ id: 'RotatedKey' }),
    handler: async ({ actor, params: { id }, body }, { manage }) => {
      const { key, replaced } = await manage.apps.rotateKey(actor, id, body.grace_seconds, body.expires_at);
      return { key: appKeyRecord(key), replaced: appKeyRecord(replaced) };
    },
  }),
  // After the operations of `/keys/rotate`: paths are tried in this order.
  apiOperation({
    offer: { name: 'app_keys.update', scope: null },
    id: 'updateAppKey',
    method: 'PATCH',
    path: '/apps/{id}/keys/{key}',
    summary: 'Update a key',
    description:
      'Changes what a key may do and its end; omitted fields stay unchanged. The reply is sent once every instance applies the change. A replaced key can only be made to end earlier. The owner of the App or an admin; requires a step-up.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: keyParams,
    body: optionsBody,
    data: appKeySchema,
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.apps.find(actor, id)).accountId,
    examples: { body: { methods: ['eth_call'] }, data: { ...keyExample, methods: ['eth_call'] } },
    handler: async ({ actor, params: { id, key: keyId }, body }, { manage }) =>
      appKeyRecord(await manage.apps.changeKey(actor, id, keyId, inputOf(body))),
  }),
  apiOperation({
    offer: { name: 'app_keys.revoke', scope: null },
    id: 'revokeAppKey',
    method: 'POST',
    path: '/apps/{id}/keys/{key}/revoke',
    summary: 'Revoke a key',
    description:
      'Revokes a key at once and permanently. The reply is sent once every instance refuses the key. Revoking a revoked key changes nothing. The owner of the App or an admin; requires a step-up.',
    errors: ['NOT_FOUND'],
    params: keyParams,
    data: appKeySchema,
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.apps.find(actor, id)).accountId,
    examples: { data: { ...keyExample, state: 'revoked', revoked_at: keyExample.created_at } },
    handler: async ({ actor, params: { id, key: keyId } }, { manage }) =>
      appKeyRecord(await manage.apps.revokeKey(actor, id, keyId)),
  }),
];
