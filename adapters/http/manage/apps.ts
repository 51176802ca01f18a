import { formatInstant } from '../../../core/index.ts';
import type { App, AppId, RouteRecord } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { accountExample } from './accounts.ts';
import { limitsBody, limitsRecord, limitsSchema, modeSchema, quotaBody, quotaSchema } from './admission-limits.ts';
import { appKeyRecord, appKeySchema, keyExample } from './app-keys.ts';
import type { ManageDeps } from './deps.ts';
import { accountFilter, expectedVersion, idParams, inputOf, ownerField, texts, word, yesNo } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, pageRecord, whole } from './reply-fields.ts';

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
  id: id('The App'),
  account_id: id('Its account'),
  name: z.string(),
  enabled: z.boolean(),
  version: z
    .number()
    .meta({ type: 'integer', minimum: 1, description: "Counts the record's revisions; a change wants it in If-Match" }),
  chains: z.array(chainSchema).readonly(),
  admission_mode: modeSchema
    .nullable()
    .meta({ description: "Makes a gateway's mode stricter; null for the gateway's own" }),
  limits: limitsSchema.nullable(),
  quota: quotaSchema.nullable().meta({ description: 'What it may use of all gateways together; null for no limit' }),
  prepaid: z.boolean().meta({ description: 'True where it uses what was bought for it, and no more' }),
  created_at: instant('Creation'),
  modified_at: instant('Last change'),
};
const appListItemSchema = z.object(listFields).meta({ id: 'AppListItem' });
const appFields = { ...listFields, provider_id: z.string().nullable() };
export const appSchema = z.object(appFields).meta({ id: 'AppItem' });
export const newAppSchema = z.object({ ...appFields, key: appKeySchema }).meta({ id: 'NewApp' });

const admissionSchema = z
  .object({
    items: z
      .array(
        z.object({
          route: z.string().meta({ description: "The gateway's host" }),
          mode: modeSchema,
          verdict: z.enum(['allowed', 'refused', 'would_refuse']),
          reason: z.string().meta({ description: '`none` for what was allowed' }),
          count: whole('Since this instance started'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'AdmissionCounts' });

type ChainRecord = z.input<typeof chainSchema>;
type NameOf = (chain: string) => string;

/** The gateways of an App's chains. A chain without a gateway is listed too. */
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
    account_id: app.accountId,
    name: app.name,
    enabled: app.enabled,
    version: app.version,
    chains: chainRecords(app.chains, routes, nameOf),
    admission_mode: app.admissionMode,
    limits: app.limits === null ? null : limitsRecord(app.limits),
    quota: app.quota,
    prepaid: app.prepaid,
    created_at: formatInstant(app.createdAt),
    modified_at: formatInstant(app.modifiedAt),
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
  account_id: accountExample.id,
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
  modified_at: accountExample.modified_at,
  provider_id: null,
} as const satisfies z.input<typeof appSchema>;

const name = text(255, 'Shown name');
const chains = texts(64, 64, 'Codes of the chains whose gateways the App may use');
const prepaid = yesNo('Whether it uses what was bought for it, and no more');
const params = idParams<AppId>('The App');

/** Apps (decisions, section 9). */
export const appOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listApps',
    path: '/apps',
    summary: 'Apps',
    description: "Newest first: an account's own; an admin sees all.",
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'AppList',
    item: appListItemSchema,
    handler: async ({ actor, query: { account_id: accountId, ...page } }, { manage, assets }) => {
      const apps = await manage.apps.list(actor, accountId, page);
      const routes = await manage.routes.all();
      return pageRecord(apps, (app) => listRecord(app, routes, (code) => assets.chainName(code)));
    },
  }),
  manageOperation({
    id: 'createApp',
    method: 'POST',
    path: '/apps',
    status: 201,
    summary: 'Make an App',
    description:
      'With its first key. Only an admin names another account. Where plans are sold a new App is prepaid, unless an admin or the setting `gateway.sales.newAppsPrepaid` says otherwise.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'FORBIDDEN'],
    body: z.object({
      account_id: ownerField,
      name,
      chains,
      provider_id: text(255, 'A reference of your own').nullable().optional(),
      prepaid: prepaid.optional(),
    }),
    data: newAppSchema,
    examples: { body: { name: 'Shop', chains: ['ETH'] }, data: { ...appExample, key: keyExample } },
    handler: async ({ actor, body }, deps) => {
      const { app, key } = await deps.manage.apps.create(actor, inputOf(body));
      return { ...(await appRecord(app, deps)), key: appKeyRecord(key) };
    },
  }),
  manageOperation({
    id: 'getApp',
    method: 'GET',
    path: '/apps/{id}',
    summary: 'An App',
    description: "Another account's App is answered as an unknown one.",
    errors: ['NOT_FOUND'],
    params,
    data: appSchema,
    examples: { data: appExample },
    handler: async ({ actor, params: { id } }, deps) => appRecord(await deps.manage.apps.find(actor, id), deps),
  }),
  manageOperation({
    id: 'updateApp',
    method: 'PATCH',
    path: '/apps/{id}',
    summary: 'Change an App',
    description:
      'Wants the version of the record in If-Match: without it 428, a stale one 412. Mode and limits can only be stricter than those of a gateway. A quota is lowered by the account, and raised, removed or given another window by an admin, who alone ends that an App is prepaid.',
    versioned: true,
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'VERSION_MISMATCH', 'PRECONDITION_REQUIRED'],
    params,
    body: z.object({
      name: name.optional(),
      enabled: yesNo('Whether its keys are taken').optional(),
      chains: chains.optional(),
      admission_mode: word(['disabled', 'shadow', 'enforce'], "null for each gateway's own").nullable().optional(),
      limits: limitsBody('Requests a second')
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
    summary: 'What admission said',
    description: "Verdicts on the App's requests by gateway and reason: under `shadow`, what would have been refused.",
    errors: ['NOT_FOUND'],
    params,
    data: admissionSchema,
    handler: async ({ actor, params: { id } }, { manage }) => ({ items: await manage.apps.admission(actor, id) }),
  }),
];
