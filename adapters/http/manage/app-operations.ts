import type { AccountId, App, AppId, AppKeyId } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import type { Operation } from '../operation.ts';
import type { ManageDeps } from './deps.ts';
import { appExample, keyExample } from './examples.ts';
import { accountPageQuery, expectedVersion, given, idParams, plainNumber, recordId, texts, word, yesNo } from './fields.ts';
import type { ManageRow } from './operation.ts';
import {
  admissionSchema,
  appKeyListSchema,
  appKeySchema,
  appListItemSchema,
  appSchema,
  listOf,
  manageListSchema,
  newAppSchema,
  rotatedKeySchema,
} from './records.ts';
import { appKeyRecord, appListRecord, appRecord, chainRecords } from './write-records.ts';

const name = text(255, 'Shown name');
const chains = texts(64, 64, 'Codes of the chains whose gateways the App may use');
const limit = (description: string, whole: boolean) => plainNumber(`${description}; null for no limit`, whole).nullable().optional();
const limits = z
  .object({
    requests_per_second: limit('Requests a second', false),
    burst: limit('How many may come at once', true),
    concurrency: limit('How many may run at once', true),
  })
  .nullable()
  .transform((value) =>
    value === null
      ? null
      : { requestsPerSecond: value.requests_per_second ?? null, burst: value.burst ?? null, concurrency: value.concurrency ?? null },
  );
const keyParams = idParams('The App').extend({ key_id: text(64, 'The key') });

/** Apps (decisions, section 9). */
export function appOperations({ settings, manage: { apps, routes }, assets }: ManageDeps, row: ManageRow): readonly Operation[] {
  const chainsOf = async ({ chains: codes }: App) => chainRecords(codes, await routes.all(), (code) => assets.chainName(code));
  const written = async (app: App) => appRecord(app, await chainsOf(app));
  const list = row({
    id: 'listApps',
    method: 'GET',
    path: '/apps',
    summary: 'Apps',
    description: "Newest first: an account's own; an admin sees all.",
    query: accountPageQuery(settings.pageMax),
    errors: ['NOT_FOUND'],
    data: manageListSchema('AppList', appListItemSchema),
    handler: async ({ actor, query: { account_id, ...page } }) => {
      const found = await apps.list(actor, account_id as AccountId | undefined, page);
      const gateways = await routes.all();
      return listOf(found, (app) => appListRecord(app, chainRecords(app.chains, gateways, (code) => assets.chainName(code))));
    },
  });
  const create = row({
    id: 'createApp',
    method: 'POST',
    path: '/apps',
    status: 201,
    summary: 'Make an App',
    description: 'With its first key. Only an admin names another account.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'],
    body: z.object({
      account_id: recordId('The account; your own unless told').optional(),
      name,
      chains,
      provider_id: text(255, 'A reference of your own').nullable().optional(),
    }),
    data: newAppSchema,
    examples: { body: { name: 'Shop', chains: ['ETH'] }, data: { ...appExample, key: keyExample } },
    handler: async ({ actor, body: { account_id: accountId, provider_id: providerId, ...body } }) => {
      const { app, key } = await apps.create(actor, given({ ...body, accountId: accountId as AccountId | undefined, providerId }));
      return { ...(await written(app)), key: appKeyRecord(key) };
    },
  });
  const find = row({
    id: 'getApp',
    method: 'GET',
    path: '/apps/{id}',
    summary: 'An App',
    description: "Another account's App is answered as an unknown one.",
    errors: ['NOT_FOUND'],
    params: idParams('The App'),
    data: appSchema,
    examples: { data: appExample },
    handler: async ({ actor, params }) => written(await apps.find(actor, params.id as AppId)),
  });
  const update = row({
    id: 'updateApp',
    method: 'PATCH',
    path: '/apps/{id}',
    summary: 'Change an App',
    description: 'Wants the version of the record in If-Match: without it 428, a stale one 412. Mode and limits can only be stricter than those of a gateway.',
    versioned: true,
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'VERSION_MISMATCH', 'PRECONDITION_REQUIRED'],
    params: idParams('The App'),
    body: z.object({
      name: name.optional(),
      enabled: yesNo('Whether its keys are taken').optional(),
      chains: chains.optional(),
      admission_mode: word(['disabled', 'shadow', 'enforce'], "null for each gateway's own").nullable().optional(),
      limits: limits.optional(),
    }),
    data: appSchema,
    examples: { body: { enabled: false }, data: { ...appExample, enabled: false, version: 2 } },
    handler: async ({ actor, params, request, body: { admission_mode: admissionMode, ...body } }) => {
      const version = expectedVersion(request);
      return written(await apps.update(actor, params.id as AppId, version, given({ ...body, admissionMode })));
    },
  });
  const admission = row({
    id: 'getAdmission',
    method: 'GET',
    path: '/apps/{id}/admission',
    summary: 'What admission said',
    description: "Verdicts on the App's requests by gateway and reason: under `shadow`, what would have been refused.",
    errors: ['NOT_FOUND'],
    params: idParams('The App'),
    data: admissionSchema,
    handler: async ({ actor, params }) => ({ items: [...(await apps.admission(actor, params.id as AppId))] }),
  });
  return [list, create, find, update, admission];
}

/** Keys of Apps (specification, "Application key"). */
export function appKeyOperations({ manage: { apps } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listAppKeys',
    method: 'GET',
    path: '/apps/{id}/keys',
    summary: 'Keys of an App',
    description: 'With their texts, newest first.',
    errors: ['NOT_FOUND'],
    params: idParams('The App'),
    data: appKeyListSchema,
    examples: { data: { total: 1, items: [keyExample] } },
    handler: async ({ actor, params }) => {
      const keys = await apps.keys(actor, params.id as AppId);
      return { total: keys.length, items: keys.map(appKeyRecord) };
    },
  });
  const create = row({
    id: 'createAppKey',
    method: 'POST',
    path: '/apps/{id}/keys',
    status: 201,
    summary: 'Make a key',
    description: 'When the App has no active one.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams('The App'),
    data: appKeySchema,
    examples: { data: keyExample },
    handler: async ({ actor, params }) => appKeyRecord(await apps.createKey(actor, params.id as AppId)),
  });
  const rotate = row({
    id: 'rotateAppKey',
    method: 'POST',
    path: '/apps/{id}/keys/rotate',
    summary: 'Rotate the active key',
    description: 'The replaced key stays accepted for its grace.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams('The App'),
    body: z.object({ grace_seconds: plainNumber('0 to 7 days', true).optional() }),
    data: rotatedKeySchema,
    handler: async ({ actor, params, body }) => {
      const { key, replaced } = await apps.rotateKey(actor, params.id as AppId, body.grace_seconds);
      return { key: appKeyRecord(key), replaced: appKeyRecord(replaced) };
    },
  });
  const revoke = row({
    id: 'revokeAppKey',
    method: 'POST',
    path: '/apps/{id}/keys/{key_id}/revoke',
    summary: 'Revoke a key',
    description: 'At once and for good; answered when it holds on every instance. Again is no error.',
    errors: ['NOT_FOUND'],
    params: keyParams,
    data: appKeySchema,
    examples: { data: { ...keyExample, state: 'revoked', revoked_at: keyExample.created_at } },
    handler: async ({ actor, params }) => appKeyRecord(await apps.revokeKey(actor, params.id as AppId, params.key_id as AppKeyId)),
  });
  return [list, create, rotate, revoke];
}
