import type { RouteId, RouteRecord, UpstreamView } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import type { ManageDeps } from './deps.ts';
import { limitsBody, limitsRecord, limitsSchema, modeSchema } from './admission-limits.ts';
import { group, idParams, inputOf, unitsByName, plainNumber, texts, word, yesNo } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { readsBody, readsRecord, readsSchema } from './read-rules.ts';
import { instant, pageRecord, time, whole } from './reply-fields.ts';

const MAX_URL = 2048;
const MAX_UPSTREAMS = 32;
const MAX_METHODS = 1000;
const MAX_ORIGINS = 100;
const MAX_PLANS = 20;

const upstreamHealthSchema = z
  .object({
    state: z.enum(['up', 'down', 'trial']).meta({
      description:
        'The circuit breaker: down is open; trial lets one request through, which closes it when it succeeds',
    }),
    head: whole('The number of its newest block').nullable(),
    lag_blocks: whole('How many blocks it is behind the foremost upstream of this gateway').nullable(),
    latency_ms: whole('Until it begins to answer; a moving average of the latest requests').nullable(),
    error_rate: z.number().nullable().meta({
      description:
        'Of the latest requests, from 0 to 1: those that it answered with an error of a server, or not at all',
    }),
  })
  .meta({ id: 'UpstreamHealth' });

export const gatewaySchema = z
  .object({
    id: z.string(),
    host: z.string(),
    chain: z.string(),
    network: z.string(),
    protocol: z.enum(['jsonrpc', 'http', 'websocket']),
    upstreams: z.array(z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })).readonly(),
    upstream_health: z.array(upstreamHealthSchema.nullable()).readonly().meta({
      description:
        'The upstreams in their order, as the instance that answers sees them; null for one that it does not use',
    }),
    admission: modeSchema,
    enabled: z.boolean(),
    methods: z.object({ allow: z.array(z.string()).readonly(), deny: z.array(z.string()).readonly() }),
    limits: limitsSchema,
    timeouts: z.object({
      connect_ms: whole('Milliseconds'),
      first_byte_ms: whole('Milliseconds'),
      idle_ms: whole('Milliseconds'),
    }),
    cors: z
      .object({ origins: z.array(z.string()).readonly() })
      .meta({ description: 'From which web pages it may be used; `*` is any' }),
    units: z
      .record(z.string(), whole('Units'))
      .meta({ description: 'What a call of a method costs; `*` is every other method, 1 where it is left out' }),
    reads: readsSchema,
    max_body_bytes: whole('Bytes'),
    max_batch: whole('Elements'),
    plans: z.array(z.string()).readonly().meta({
      description: 'Plans of gateway.sales: the smallest is sold over x402 to whoever has no key, or nothing left',
    }),
    source: z.enum(['config', 'managed']).meta({ description: 'A gateway of the configuration is changed only there' }),
    created_at: instant('Creation').nullable(),
    modified_at: instant('Last change').nullable(),
  })
  .meta({ id: 'Gateway' });

function healthRecord(view: UpstreamView | null): z.input<typeof upstreamHealthSchema> | null {
  if (view === null) return null;
  const { state, head, lagBlocks, latencyMs, errorRate } = view;
  return {
    state,
    head,
    lag_blocks: lagBlocks,
    latency_ms: latencyMs === null ? null : Math.round(latencyMs),
    error_rate: errorRate === null ? null : Math.round(errorRate * 1000) / 1000,
  };
}

function gatewayRecord(
  { route, source, createdAt, modifiedAt }: RouteRecord,
  { manage }: Pick<ManageDeps, 'manage'>,
): z.input<typeof gatewaySchema> {
  const { timeouts, limits, maxBodyBytes, maxBatch, upstreams, units, reads, ...rest } = route;
  return {
    ...rest,
    upstreams: upstreams.map(({ url, headers }) => ({ url, headers: { ...headers } })),
    upstream_health: manage.routes.health(route).map(healthRecord),
    limits: limitsRecord(limits),
    timeouts: { connect_ms: timeouts.connectMs, first_byte_ms: timeouts.firstByteMs, idle_ms: timeouts.idleMs },
    units: { ...units },
    reads: readsRecord(reads),
    max_body_bytes: maxBodyBytes,
    max_batch: maxBatch,
    source,
    created_at: time(createdAt),
    modified_at: time(modifiedAt),
  };
}

const url = text(MAX_URL, 'A node');
const number = (description: string) => plainNumber(description, true).meta({ minimum: 1 }).optional();

const createBody = z.object({
  host: text(253, 'The host by which requests find it'),
  chain: text(64, 'Chain code'),
  network: text(64, 'mainnet, sepolia…'),
  protocol: word(['jsonrpc', 'http', 'websocket'], 'What it speaks'),
  upstreams: z
    .array(
      z.union([
        url.transform((address) => ({ url: address, headers: {} })),
        z
          .object({ url, headers: z.record(z.string(), z.string()).optional() })
          .transform(({ url: address, headers }) => ({ url: address, headers: { ...headers } })),
      ]),
      { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') },
    )
    .max(MAX_UPSTREAMS, { error: `must name at most ${MAX_UPSTREAMS} nodes` }),
  admission: word(['disabled', 'shadow', 'enforce'], 'How admission is applied').optional(),
  enabled: yesNo('Whether it serves').optional(),
  methods: group({
    allow: texts(MAX_METHODS, 128, 'Methods').optional(),
    deny: texts(MAX_METHODS, 128, 'Methods').optional(),
  })
    .transform(inputOf)
    .optional(),
  limits: limitsBody('Requests a second of each App').transform(inputOf).optional(),
  timeouts: group({
    connect_ms: number('Milliseconds'),
    first_byte_ms: number('Milliseconds'),
    idle_ms: number('Milliseconds'),
  })
    .transform(inputOf)
    .optional(),
  cors: group({ origins: texts(MAX_ORIGINS, 300, 'Origins, such as https://app.example; * is any').optional() })
    .transform(inputOf)
    .optional(),
  units: unitsByName('What a call of a method costs; `*` is every other method').optional(),
  reads: readsBody.optional(),
  max_body_bytes: number('Bytes'),
  max_batch: number('Elements'),
  plans: texts(MAX_PLANS, 64, 'Plans of gateway.sales, sold over x402; none for websocket').optional(),
});

/** Gateways: routes of the node gateway that are stored in the database. Admins only. */
export const gatewayOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listGateways',
    path: '/gateways',
    summary: 'Gateways',
    description: 'Newest first, those of the configuration last. Admins only.',
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
    summary: 'Make a gateway',
    description: 'What is left out has the defaults of decisions, section 8. Admins only.',
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
    summary: 'A gateway',
    description: 'Admins only.',
    errors: ['NOT_FOUND'],
    params: idParams<RouteId>('The gateway'),
    data: gatewaySchema,
    handler: async ({ actor, params: { id } }, deps) => gatewayRecord(await deps.manage.routes.find(actor, id), deps),
  }),
  manageOperation({
    id: 'updateGateway',
    method: 'PATCH',
    path: '/gateways/{id}',
    summary: 'Change a gateway',
    description: 'What is left out stays as it is. Answered when it holds on every instance. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<RouteId>('The gateway'),
    body: createBody.partial(),
    data: gatewaySchema,
    examples: { body: { enabled: false } },
    handler: async ({ actor, params: { id }, body }, deps) =>
      gatewayRecord(await deps.manage.routes.update(actor, id, inputOf(body)), deps),
  }),
];
