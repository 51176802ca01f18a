import { formatInstant } from '../../../../core/index.ts';
import type { App, AppId, RouteRecord } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { accountExample } from '../access/accounts.ts';
import { limitsBody, limitsRecord, limitsSchema, modeSchema, quotaBody, quotaSchema } from './admission-limits.ts';
import { appKeyRecord, appKeySchema, keyExample } from './app-keys.ts';
import type { ManageDeps } from '../deps.ts';
import { accountFilter, expectedVersion, idParams, inputOf, ownerField, texts, word, yesNo } from '../fields.ts';
import { apiOperation, manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, whole } from '../reply-fields.ts';

const chainSchema = z
  .object({
    code: z.string(),
    name: z.string(),
    network: z.string().nullable().meta({ description: 'null while no gateway serves the chain' }),
    protocol: z.enum(['jsonrpc', 'http', 'websocket']).nullable(),
    host: z.string().nullable(),
    enabled: z.boolean(),
  })
  .meta({ id: 'Chain' });

const listFields = {
  id: id('ID of the App'),
  account: id('ID of the account that owns the App'),
  name: z.string(),
  enabled: z.boolean(),
  version: z.number().meta({
    type: 'integer',
    minimum: 1,
    description: 'Version of the record; send it in If-Match to change the record',
  }),
  chains: z.array(chainSchema).readonly(),
  admission_mode: modeSchema.nullable().meta({
    description:
      'Admission mode that is applied if it is stricter than the mode of the gateway; null for the mode of the gateway',
  }),
  limits: limitsSchema.nullable(),
  quota: quotaSchema
    .nullable()
    .meta({ description: 'Units that the App may use of all gateways together; null for no limit' }),
  prepaid: z.boolean().meta({ description: 'Whether the App can use only units that were bought for it' }),
  created_at: instant('Time of creation'),
  updated_at: instant('Time of the last change'),
};
const appListItemSchema = z.object(listFields).meta({ id: 'ListedApp' });
const appFields = { ...listFields, provider_id: z.string().nullable() };
export const appSchema = z.object(appFields).meta({ id: 'App' });
export const newAppSchema = z.object({ ...appFields, key: appKeySchema }).meta({ id: 'NewApp' });

const admissionSchema = z
  .object({
    items: z
      .array(
        z.object({
          route: z.string().meta({ description: 'Host of the gateway' }),
          mode: modeSchema,
          verdict: z.enum(['allowed', 'refused', 'would_refuse']),
          reason: z.string().meta({ description: 'Reason of the verdict; `none` if the request was allowed' }),
          count: whole('Number of requests since this instance started'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'AdmissionCounts' });

type ChainRecord = z.input<typeof chainSchema>;
type NameOf = (chain: string) => string;

/** The gateways of an App's chains. Chains without a gateway are listed too. */
function chainRecords(codes: readonly string[], routes: readonly RouteRecord[], nameOf: NameOf): ChainRecord[] {
  return codes.flatMap((code): ChainRecord[] => {
    const name = nameOf(code);
    const served = routes.filter(({ route }) => route.chain === code);
    if (served.length === 0) return [{ code, name, network: null, protocol: null, host: null, enabled: false }];
    return served.map(({ route: { network, protocol, host, enabled } }) => ({
      code,
      name,
      network,
      protocol,
      host,
      enabled,
    }));
  });
}

function listRecord(app: App, routes: readonly RouteRecord[], nameOf: NameOf): z.input<typeof appListItemSchema> {
  return {
    id: app.id,
    account: app.accountId,
    name: app.name,
    enabled: app.enabled,
    version: app.version,
    chains: chainRecords(app.chains, routes, nameOf),
    admission_mode: app.admissionMode,
    limits: app.limits === null ? null : limitsRecord(app.limits),
    quota: app.quota,
    prepaid: app.prepaid,
    created_at: formatInstant(app.createdAt),
    updated_at: formatInstant(app.modifiedAt),
  };
}

async function appRecord(app: App, { manage, assets }: ManageDeps): Promise<z.input<typeof appSchema>> {
  return {
    ...listRecord(app, await manage.routes.all(), (code) => assets.chainName(code)),
    provider_id: app.providerId,
  };
}

const appExample = {
  id: '1530217733414232064',
  account: accountExample.id,
  name: 'Shop',
  enabled: true,
  version: 1,
  chains: [
    {
      code: 'ETH',
      name: 'Ethereum',
      network: 'mainnet',
      protocol: 'jsonrpc',
      host: 'eth.gateway.example',
      enabled: true,
    },
  ],
  admission_mode: null,
  limits: null,
  quota: null,
  prepaid: false,
  created_at: accountExample.created_at,
  updated_at: accountExample.updated_at,
  provider_id: null,
} as const satisfies z.input<typeof appSchema>;

const name = text(255, 'Display name');
const chains = texts(64, 64, 'Chains whose gateways the App may use');
const prepaid = yesNo('Whether the App can use only units that were bought for it');
const params = idParams<AppId>('ID of the App');

/** The operations of Apps. */
export const appOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'apps.list', scope: 'read' },
    id: 'listApps',
    path: '/apps',
    summary: 'List Apps',
    description: "Returns the account's Apps, newest first. Admins see all Apps.",
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'AppList',
    item: appListItemSchema,
    handler: async ({ actor, query }, { manage, assets }) => {
      const apps = await manage.apps.list(actor, inputOf(query));
      const routes = await manage.routes.all();
      return pageRecord(apps, (app) => listRecord(app, routes, (code) => assets.chainName(code)));
    },
  }),
  apiOperation({
    offer: { name: 'apps.create', scope: null },
    id: 'createApp',
    method: 'POST',
    path: '/apps',
    status: 201,
    summary: 'Create an App',
    description:
      'Creates an App with its first key. Only admins can create one for another account. If plans are sold, new Apps are prepaid, unless an admin or the setting `gateway.sales.newAppsPrepaid` says otherwise.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'FORBIDDEN'],
    body: z.object({
      account: ownerField,
      name,
      chains,
      provider_id: text(255, 'Your own reference').nullable().optional(),
      prepaid: prepaid.optional(),
    }),
    data: newAppSchema,
    examples: { body: { name: 'Shop', chains: ['ETH'] }, data: { ...appExample, key: keyExample } },
    handler: async ({ actor, body }, deps) => {
      const { app, key } = await deps.manage.apps.create(actor, inputOf(body));
      return { ...(await appRecord(app, deps)), key: appKeyRecord(key) };
    },
  }),
  apiOperation({
    offer: { name: 'apps.get', scope: 'read' },
    id: 'getApp',
    method: 'GET',
    path: '/apps/{id}',
    summary: 'Retrieve an App',
    description: 'Returns an App. An App of another account is reported as not found.',
    errors: ['NOT_FOUND'],
    params,
    data: appSchema,
    examples: { data: appExample },
    handler: async ({ actor, params: { id } }, deps) => appRecord(await deps.manage.apps.find(actor, id), deps),
  }),
  apiOperation({
    offer: { name: 'apps.update', scope: null },
    id: 'updateApp',
    method: 'PATCH',
    path: '/apps/{id}',
    summary: 'Update an App',
    description:
      'Requires the version of the record in If-Match: 428 if it is missing, 412 if it is out of date. Mode and limits can only be stricter than those of the gateway. The account can lower its quota; only admins can raise or remove it, change its window, or end prepaid mode.',
    versioned: true,
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'VERSION_MISMATCH', 'PRECONDITION_REQUIRED'],
    params,
    body: z.object({
      name: name.optional(),
      enabled: yesNo('Whether the keys of the App are accepted').optional(),
      chains: chains.optional(),
      admission_mode: word(['disabled', 'shadow', 'enforce'], 'Admission mode; null for the mode of each gateway')
        .nullable()
        .optional(),
      limits: limitsBody
        .nullable()
        .transform((given) => given && { requestsPerSecond: null, burst: null, concurrency: null, ...inputOf(given) })
        .optional(),
      quota: quotaBody.nullable().optional(),
      prepaid: prepaid.optional(),
    }),
    data: appSchema,
    examples: { body: { enabled: false }, data: { ...appExample, enabled: false, version: 2 } },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.apps.find(actor, id)).accountId,
    handler: async ({ actor, params: { id }, request, body }, deps) =>
      appRecord(await deps.manage.apps.update(actor, id, expectedVersion(request), inputOf(body)), deps),
  }),
  manageOperation({
    id: 'getAdmission',
    method: 'GET',
    path: '/apps/{id}/admission',
    summary: 'Retrieve admission verdicts of an App',
    description:
      "Returns the verdicts on the App's requests by gateway and reason. In `shadow` mode, they show which requests would have been refused.",
    errors: ['NOT_FOUND'],
    params,
    data: admissionSchema,
    handler: async ({ actor, params: { id } }, { manage }) => ({ items: await manage.apps.admission(actor, id) }),
  }),
];
