import { ROUTE_BOUNDS, shownUpstreamUrl } from '../../../../core/index.ts';
import type { RouteId, RouteRecord, UpstreamId, UpstreamView } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import type { ManageDeps } from '../deps.ts';
import { gatewayLimitsBody, gatewayLimitsRecord, gatewayLimitsSchema, modeSchema } from './admission-limits.ts';
import { group, idParams, inputOf, unitsByName, plainNumber, recordId, texts, word, yesNo } from '../fields.ts';
import { manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { readsBody, readsRecord, readsSchema } from './read-rules.ts';
import { instant, pageRecord, time, whole, wholeOrNull } from '../reply-fields.ts';

const upstreamHealthSchema = z
  .object({
    state: z.enum(['up', 'down', 'trial']).meta({
      description:
        'State of the circuit breaker: `down` is open; `trial` lets one request through, and closes it if the request succeeds',
    }),
    head: wholeOrNull('Height of its newest block'),
    lag_blocks: wholeOrNull('Blocks that it is behind the most advanced upstream of this gateway'),
    latency_ms: wholeOrNull('Milliseconds until it starts to answer; a moving average of recent requests'),
    error_rate: z.number().nullable().meta({
      description: 'Share of recent requests, from 0 to 1, that the node did not answer through a fault of its own',
    }),
    missing_methods: z.array(z.string()).readonly().meta({
      description: 'Methods that it said in the last hour it does not have; they are asked of other upstreams',
    }),
    oldest_state: wholeOrNull('Oldest block whose state it may have, by its answers of the last hour'),
  })
  .meta({ id: 'UpstreamHealth' });

export const gatewaySchema = z
  .object({
    id: z.string(),
    host: z.string(),
    chain: z.string(),
    network: z.string(),
    protocol: z.enum(['jsonrpc', 'http', 'websocket']),
    upstreams: z
      .array(
        z.object({
          id: z.string().meta({
            description: 'ID of the upstream; it follows from the URL, so equal URLs have the same one',
          }),
          url: z
            .string()
            .meta({ description: 'Scheme and host; … replaces a path, query or login, which are not shown' }),
          header_names: z
            .array(z.string())
            .readonly()
            .meta({ description: 'Names of the headers that are sent; their values are not shown' }),
          cordoned: z
            .boolean()
            .meta({ description: 'Whether an admin has taken it out of use; it gets no new requests' }),
        }),
      )
      .readonly(),
    upstream_health: z.array(upstreamHealthSchema.nullable()).readonly().meta({
      description: 'Upstreams in order, as the answering instance sees them; null for an upstream that it does not use',
    }),
    admission: modeSchema,
    enabled: z.boolean(),
    methods: z.object({ allow: z.array(z.string()).readonly(), deny: z.array(z.string()).readonly() }),
    limits: gatewayLimitsSchema,
    timeouts: z.object({
      connect_ms: whole('Milliseconds'),
      first_byte_ms: whole('Milliseconds'),
      idle_ms: whole('Milliseconds'),
    }),
    cors: z
      .object({ origins: z.array(z.string()).readonly() })
      .meta({ description: 'Origins of web pages that may use the gateway; `*` for any' }),
    units: z
      .record(z.string(), whole('Units'))
      .meta({ description: 'Units charged for a call of each method; `*` sets every other method and defaults to 1' }),
    reads: readsSchema,
    max_body_bytes: whole('Bytes'),
    max_batch: whole('Elements'),
    plans: z.array(z.string()).readonly().meta({
      description:
        'Plans of gateway.sales; the smallest is sold over x402 to clients that have no key or no units left',
    }),
    source: z
      .enum(['config', 'managed'])
      .meta({ description: 'Gateways with the source `config` can be changed only in the configuration' }),
    created_at: instant('Time of creation').nullable(),
    updated_at: instant('Time of the last change').nullable(),
  })
  .meta({ id: 'Gateway' });

function healthRecord(view: UpstreamView | null): z.input<typeof upstreamHealthSchema> | null {
  if (view === null) return null;
  const { state, head, lagBlocks, latencyMs, errorRate, missingMethods, oldestState } = view;
  return {
    state,
    head,
    lag_blocks: lagBlocks,
    latency_ms: latencyMs === null ? null : Math.round(latencyMs),
    error_rate: errorRate === null ? null : Math.round(errorRate * 1000) / 1000,
    missing_methods: missingMethods,
    oldest_state: oldestState,
  };
}

function gatewayRecord(
  { route, source, upstreams: known, createdAt, modifiedAt }: RouteRecord,
  { manage }: Pick<ManageDeps, 'manage'>,
): z.input<typeof gatewaySchema> {
  const { timeouts, limits, maxBodyBytes, maxBatch, upstreams, units, reads, ...rest } = route;
  return {
    ...rest,
    upstreams: known.map(({ id, cordoned }, index) => {
      const { url = '', headers = {} } = upstreams[index] ?? {};
      return { id, url: shownUpstreamUrl(url), header_names: Object.keys(headers), cordoned };
    }),
    upstream_health: manage.routes.health(route).map(healthRecord),
    limits: gatewayLimitsRecord(limits),
    timeouts: { connect_ms: timeouts.connectMs, first_byte_ms: timeouts.firstByteMs, idle_ms: timeouts.idleMs },
    units: { ...units },
    reads: readsRecord(reads),
    max_body_bytes: maxBodyBytes,
    max_batch: maxBatch,
    source,
    created_at: time(createdAt),
    updated_at: time(modifiedAt),
  };
}

const url = text(ROUTE_BOUNDS.urlLength, 'URL of a node');
const number = (description: string) => plainNumber(description, true).meta({ minimum: 1 }).optional();

const upstream = z.union([
  url.transform((address) => ({ url: address, headers: {} })),
  z
    .object({ url, headers: z.record(z.string(), z.string()).optional() })
    .transform(({ url: address, headers }) => ({ url: address, headers: { ...headers } })),
]);
const keptUpstream = z.object({ keep: plainNumber('Index, starting at 0, of an upstream that stays unchanged', true) });

function upstreamList<T extends z.ZodType>(item: T) {
  return z
    .array(item, { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') })
    .max(ROUTE_BOUNDS.upstreams, { error: `must name at most ${ROUTE_BOUNDS.upstreams} nodes` });
}

const createBody = z.object({
  host: text(253, 'Host name that selects the gateway'),
  chain: text(64, 'Chain code, such as ETH, BTC or TRX'),
  network: text(64, 'Network, such as mainnet or sepolia'),
  protocol: word(['jsonrpc', 'http', 'websocket'], 'Protocol of the nodes'),
  upstreams: upstreamList(upstream),
  admission: word(['disabled', 'shadow', 'enforce'], 'Admission mode').optional(),
  enabled: yesNo('Whether the gateway serves requests').optional(),
  methods: group({
    allow: texts(ROUTE_BOUNDS.methods, 128, 'Methods').optional(),
    deny: texts(ROUTE_BOUNDS.methods, 128, 'Methods').optional(),
  })
    .transform(inputOf)
    .optional(),
  limits: gatewayLimitsBody.optional(),
  timeouts: group({
    connect_ms: number('Milliseconds'),
    first_byte_ms: number('Milliseconds'),
    idle_ms: number('Milliseconds'),
  })
    .transform(inputOf)
    .optional(),
  cors: group({
    origins: texts(ROUTE_BOUNDS.origins, 300, 'Allowed origins, such as https://app.example; * for any').optional(),
  })
    .transform(inputOf)
    .optional(),
  units: unitsByName('Units charged for a call of each method; `*` sets every other method').optional(),
  reads: readsBody.optional(),
  max_body_bytes: number('Bytes'),
  max_batch: number('Elements'),
  plans: texts(ROUTE_BOUNDS.plans, 64, 'Plans of gateway.sales that are sold over x402; none for websocket').optional(),
});

const upstreamParams = idParams<RouteId>('ID of the gateway').extend({
  upstream: recordId<UpstreamId>('ID of the upstream'),
});

/** The operations of gateways, the routes of the node gateway that the database stores. Admins only. */
export const gatewayOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'gateways.list', scope: null },
    id: 'listGateways',
    path: '/gateways',
    summary: 'List gateways',
    description: 'Returns gateways, newest first, then those of the configuration by host. Admins only.',
    name: 'GatewayList',
    item: gatewaySchema,
    handler: async ({ actor, query }, deps) =>
      pageRecord(await deps.manage.routes.list(actor, query), (record) => gatewayRecord(record, deps)),
  }),
  manageOperation({
    id: 'createGateway',
    method: 'POST',
    path: '/gateways',
    status: 201,
    summary: 'Create a gateway',
    description:
      "Omitted fields have their defaults. The host must not be one of the till's own names. Upstreams must have public addresses, unless the setting gateway.allowPrivateUpstreams is true. Admins only; requires a step-up.",
    errors: ['STATE_CONFLICT'],
    body: createBody,
    data: gatewaySchema,
    examples: {
      body: {
        host: 'eth.gateway.example',
        chain: 'ETH',
        network: 'mainnet',
        protocol: 'jsonrpc',
        upstreams: ['https://node.example/rpc'],
      },
    },
    handler: async ({ actor, body }, deps) =>
      gatewayRecord(await deps.manage.routes.create(actor, inputOf(body)), deps),
  }),
  manageOperation({
    id: 'getGateway',
    method: 'GET',
    path: '/gateways/{id}',
    summary: 'Retrieve a gateway',
    description: 'Returns a gateway. Admins only.',
    errors: ['NOT_FOUND'],
    params: idParams<RouteId>('ID of the gateway'),
    data: gatewaySchema,
    handler: async ({ actor, params: { id } }, deps) => gatewayRecord(await deps.manage.routes.find(actor, id), deps),
  }),
  manageOperation({
    id: 'updateGateway',
    method: 'PATCH',
    path: '/gateways/{id}',
    summary: 'Update a gateway',
    description:
      'Omitted fields stay unchanged. In the list of upstreams, keep an existing one by its index: {"keep": 0}. The reply is sent once every instance uses the change. Admins only; requires a step-up.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<RouteId>('ID of the gateway'),
    body: createBody.partial().extend({ upstreams: upstreamList(z.union([keptUpstream, upstream])).optional() }),
    data: gatewaySchema,
    examples: { body: { enabled: false } },
    handler: async ({ actor, params: { id }, body }, deps) =>
      gatewayRecord(await deps.manage.routes.update(actor, id, inputOf(body)), deps),
  }),
  manageOperation({
    id: 'cordonUpstream',
    method: 'POST',
    path: '/gateways/{id}/upstreams/{upstream}/cordon',
    summary: 'Cordon an upstream',
    description:
      'Takes an upstream out of use until it is uncordoned, also over restarts. It gets no new requests, not even when all others are down; the requests and WebSockets that it has go on. Gateways of the configuration have upstreams to cordon too. The reply is sent once every instance obeys. Cordoning a cordoned upstream changes nothing. Admins only; requires a step-up.',
    errors: ['NOT_FOUND'],
    params: upstreamParams,
    data: gatewaySchema,
    handler: async ({ actor, params: { id, upstream: which } }, deps) =>
      gatewayRecord(await deps.manage.routes.cordon(actor, id, which), deps),
  }),
  manageOperation({
    id: 'uncordonUpstream',
    method: 'POST',
    path: '/gateways/{id}/upstreams/{upstream}/uncordon',
    summary: 'Uncordon an upstream',
    description:
      'Lets an upstream get requests again. The reply is sent once every instance uses it. Uncordoning an upstream that is not cordoned changes nothing. Admins only; requires a step-up.',
    errors: ['NOT_FOUND'],
    params: upstreamParams,
    data: gatewaySchema,
    handler: async ({ actor, params: { id, upstream: which } }, deps) =>
      gatewayRecord(await deps.manage.routes.uncordon(actor, id, which), deps),
  }),
];
