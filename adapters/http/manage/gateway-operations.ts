import type { RouteId } from '../../../core/index.ts';
import { z } from 'zod';
import { pageQuery, text } from '../fields.ts';
import type { Operation } from '../operation.ts';
import type { ManageDeps } from './deps.ts';
import { given, idParams, plainNumber, texts, word, yesNo } from './fields.ts';
import type { ManageRow } from './operation.ts';
import { gatewaySchema, listOf, manageListSchema } from './records.ts';
import { gatewayRecord } from './write-records.ts';

const MAX_URL = 2048;
const MAX_UPSTREAMS = 32;
const MAX_METHODS = 1000;

const url = text(MAX_URL, 'A node');
const whole = (description: string) => plainNumber(description, true);
const limit = (description: string, isWhole: boolean) => plainNumber(`${description}; null for no limit`, isWhole).nullable().optional();

const required = {
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
};
const optional = {
  admission: word(['disabled', 'shadow', 'enforce'], 'How admission is applied').optional(),
  enabled: yesNo('Whether it serves').optional(),
  methods: z.object({ allow: texts(MAX_METHODS, 128, 'Methods').optional(), deny: texts(MAX_METHODS, 128, 'Methods').optional() }).optional(),
  limits: z
    .object({
      requests_per_second: limit('Requests a second of each App', false),
      burst: limit('How many may come at once', true),
      concurrency: limit('How many may run at once', true),
    })
    .optional(),
  timeouts: z
    .object({ connect_ms: whole('Milliseconds').optional(), first_byte_ms: whole('Milliseconds').optional(), idle_ms: whole('Milliseconds').optional() })
    .optional(),
  max_body_bytes: whole('Bytes').optional(),
  max_batch: whole('Elements').optional(),
};
const createBody = z.object({ ...required, ...optional });
const changeBody = z.object({ ...required, ...optional }).partial();

type Options = Pick<z.output<typeof createBody>, 'methods' | 'limits' | 'timeouts' | 'max_body_bytes' | 'max_batch' | 'admission' | 'enabled'>;

function optionsOf({ methods, limits, timeouts, max_body_bytes: maxBodyBytes, max_batch: maxBatch, admission, enabled }: Options) {
  return given({
    admission,
    enabled,
    maxBodyBytes,
    maxBatch,
    methods: methods && given(methods),
    limits: limits && given({ requestsPerSecond: limits.requests_per_second, burst: limits.burst, concurrency: limits.concurrency }),
    timeouts: timeouts && given({ connectMs: timeouts.connect_ms, firstByteMs: timeouts.first_byte_ms, idleMs: timeouts.idle_ms }),
  });
}

const example = {
  body: { host: 'eth.gateway.example', chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc', upstreams: ['https://node.example/rpc'] },
};

/** Gateways: routes of the node gateway that are kept in the database. Admins only. */
export function gatewayOperations({ settings, manage: { routes } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listGateways',
    method: 'GET',
    path: '/gateways',
    summary: 'Gateways',
    description: 'Newest first, those of the configuration last. Admins only.',
    query: pageQuery(settings.pageMax),
    data: manageListSchema('GatewayList', gatewaySchema),
    handler: async ({ actor, query }) => listOf(await routes.list(actor, query), gatewayRecord),
  });
  const create = row({
    id: 'createGateway',
    method: 'POST',
    path: '/gateways',
    status: 201,
    summary: 'Make a gateway',
    description: 'What is left out has the defaults of decisions, section 8. Admins only.',
    errors: ['STATE_CONFLICT'],
    body: createBody,
    data: gatewaySchema,
    examples: example,
    handler: async ({ actor, body }) => {
      const { host, chain, network, protocol, upstreams } = body;
      return gatewayRecord(await routes.create(actor, { host, chain, network, protocol, upstreams, ...optionsOf(body) }));
    },
  });
  const find = row({
    id: 'getGateway',
    method: 'GET',
    path: '/gateways/{id}',
    summary: 'A gateway',
    description: 'Admins only.',
    errors: ['NOT_FOUND'],
    params: idParams('The gateway'),
    data: gatewaySchema,
    handler: async ({ actor, params }) => gatewayRecord(await routes.find(actor, params.id as RouteId)),
  });
  const update = row({
    id: 'updateGateway',
    method: 'PATCH',
    path: '/gateways/{id}',
    summary: 'Change a gateway',
    description: 'What is left out stays as it is. Answered when it holds on every instance. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams('The gateway'),
    body: changeBody,
    data: gatewaySchema,
    examples: { body: { enabled: false } },
    handler: async ({ actor, params, body }) => {
      const { host, chain, network, protocol, upstreams } = body;
      const changes = { ...given({ host, chain, network, protocol, upstreams }), ...optionsOf(body) };
      return gatewayRecord(await routes.update(actor, params.id as RouteId, changes));
    },
  });
  return [list, create, find, update];
}
