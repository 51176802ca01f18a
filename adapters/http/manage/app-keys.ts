import { APP_KEY_STATES, formatInstant } from '../../../core/index.ts';
import type { AppId, AppKeyId, IssuedKey } from '../../../core/index.ts';
import { z } from 'zod';
import { accountExample } from './accounts.ts';
import { idParams, plainNumber, recordId } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, time, whole } from './reply-fields.ts';

export const appKeySchema = z
  .object({
    id: id('The key'),
    api_key: z.string().min(1).max(128).meta({ description: 'A secret' }),
    state: z.enum(APP_KEY_STATES).meta({ id: 'AppKeyState' }),
    expires_at: instant('The end of its grace').nullable(),
    revoked_at: instant('When it was revoked').nullable(),
    created_at: instant('Creation'),
    last_used_at: instant('Last use').nullable(),
  })
  .meta({ id: 'AppKeyItem' });

type AppKeyRecord = z.input<typeof appKeySchema>;

export function appKeyRecord({ key, text, state }: IssuedKey): AppKeyRecord {
  return {
    id: key.id,
    api_key: text,
    state,
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
  expires_at: null,
  revoked_at: null,
  created_at: accountExample.created_at,
  last_used_at: null,
} as const satisfies AppKeyRecord;

const params = idParams<AppId>('The App');

/** Keys of Apps (specification, "Application key"). */
export const appKeyOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listAppKeys',
    method: 'GET',
    path: '/apps/{id}/keys',
    summary: 'Keys of an App',
    description: 'With their texts, newest first.',
    errors: ['NOT_FOUND'],
    params,
    data: z.object({ total: whole('How many'), items: z.array(appKeySchema).readonly() }).meta({ id: 'AppKeyList' }),
    examples: { data: { total: 1, items: [keyExample] } },
    handler: async ({ actor, params: { id } }, { manage }) => {
      const keys = await manage.apps.keys(actor, id);
      return { total: keys.length, items: keys.map(appKeyRecord) };
    },
  }),
  manageOperation({
    id: 'createAppKey',
    method: 'POST',
    path: '/apps/{id}/keys',
    status: 201,
    summary: 'Make a key',
    description: 'When the App has no active one.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: appKeySchema,
    examples: { data: keyExample },
    handler: async ({ actor, params: { id } }, { manage }) => appKeyRecord(await manage.apps.createKey(actor, id)),
  }),
  manageOperation({
    id: 'rotateAppKey',
    method: 'POST',
    path: '/apps/{id}/keys/rotate',
    summary: 'Rotate the active key',
    description: 'The replaced key stays accepted for its grace.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ grace_seconds: plainNumber('0 to 7 days', true).optional() }),
    data: z.object({ key: appKeySchema, replaced: appKeySchema }).meta({ id: 'RotatedKey' }),
    handler: async ({ actor, params: { id }, body }, { manage }) => {
      const { key, replaced } = await manage.apps.rotateKey(actor, id, body.grace_seconds);
      return { key: appKeyRecord(key), replaced: appKeyRecord(replaced) };
    },
  }),
  manageOperation({
    id: 'revokeAppKey',
    method: 'POST',
    path: '/apps/{id}/keys/{key_id}/revoke',
    summary: 'Revoke a key',
    description: 'At once and for good; answered when it holds on every instance. Again is no error.',
    errors: ['NOT_FOUND'],
    params: params.extend({ key_id: recordId<AppKeyId>('The key') }),
    data: appKeySchema,
    examples: { data: { ...keyExample, state: 'revoked', revoked_at: keyExample.created_at } },
    handler: async ({ actor, params: { id, key_id: keyId } }, { manage }) =>
      appKeyRecord(await manage.apps.revokeKey(actor, id, keyId)),
  }),
];
