import { z } from 'zod';
import { isTillgateError, readRoute, SUBSCRIPTION_MODES } from '../../core/index.ts';
import type { GatewayRoute, RouteId, RouteInput } from '../../core/index.ts';
import { section, shown } from './setting-fields.ts';

const text = (what: string) => z.string({ error: `write ${what}` });
const number = shown(z.number({ error: 'write a number' }));
const limit = number.nullable();
const flag = shown(z.boolean({ error: 'write true or false' }));
const methods = z.array(text('a method, such as "eth_*"'), { error: 'write a list of methods, such as ["eth_*"]' });
const upstream = z.union(
  [z.string(), z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()).optional() })],
  {
    error: 'write the address of a node, or {"url": "…", "headers": {…}}',
  },
);

const gatewaySetting = z.strictObject(
  {
    host: text('the host name that selects this gateway'),
    chain: text('a chain code, such as "ETH"'),
    network: text('the network, such as "mainnet"'),
    protocol: shown(z.enum(['jsonrpc', 'http', 'websocket'], { error: 'write "jsonrpc", "http" or "websocket"' })),
    upstreams: z.array(upstream, { error: 'write a list of nodes' }),
    admission: shown(
      z.enum(['disabled', 'shadow', 'enforce'], { error: 'write "disabled", "shadow" or "enforce"' }),
    ).optional(),
    enabled: flag.optional(),
    methods: z.strictObject({ allow: methods.optional(), deny: methods.optional() }, section).optional(),
    limits: z
      .strictObject(
        {
          requestsPerSecond: limit.optional(),
          burst: limit.optional(),
          concurrency: limit.optional(),
          methods: z
            .record(z.string(), z.strictObject({ requestsPerSecond: number, burst: limit.default(null) }, section), {
              error: 'write rates of methods, such as {"eth_getLogs": {"requestsPerSecond": 5}}',
            })
            .optional(),
        },
        section,
      )
      .optional(),
    timeouts: z
      .strictObject(
        { connectMs: number.optional(), firstByteMs: number.optional(), idleMs: number.optional() },
        section,
      )
      .optional(),
    cors: z
      .strictObject(
        {
          origins: z
            .array(text('an origin, such as "https://app.example"'), { error: 'write a list of origins' })
            .optional(),
        },
        section,
      )
      .optional(),
    reads: z
      .strictObject(
        {
          headLagBlocks: limit.optional(),
          monotonic: flag.optional(),
          logs: z
            .strictObject({ maxRange: number, splitInto: number.optional(), maxResults: number.optional() }, section)
            .nullable()
            .optional(),
          hedgeAfterMs: limit.optional(),
          dedupe: flag.optional(),
          cache: flag.optional(),
          subscriptions: shown(z.enum(SUBSCRIPTION_MODES, { error: 'write "shared" or "bridge"' })).optional(),
        },
        section,
      )
      .optional(),
    units: z
      .record(z.string(), number, { error: 'write what methods cost, such as {"eth_getLogs": 20, "*": 1}' })
      .optional(),
    maxBodyBytes: number.optional(),
    maxBatch: number.optional(),
    plans: z
      .array(text('the name of a plan, such as "starter"'), { error: 'write a list of plans of gateway.sales' })
      .optional(),
  },
  section,
);

const CACHE_URL = /^rediss?:\/\//;

/** The setting `gateway.cache`: where the answers about final blocks are kept that several instances share. */
export const cacheSetting = z
  .strictObject(
    {
      store: shown(z.enum(['memory', 'database', 'redis'], { error: 'write "memory", "database" or "redis"' })).default(
        'memory',
      ),
      /** With the password of Redis: a secret. */
      url: text('the address of Redis or Valkey, such as "rediss://user:password@host:6379"').optional(),
    },
    section,
  )
  .superRefine(({ store, url }, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['url'], message });
    if (store !== 'redis') {
      if (url !== undefined) refuse('is used only with "store": "redis": remove it');
    } else if (url === undefined || !CACHE_URL.test(url) || !URL.canParse(url))
      refuse('write the address of Redis or Valkey, such as "rediss://user:password@host:6379"');
  })
  .prefault({});

type GatewaySetting = z.output<typeof gatewaySetting>;

/** The setting `gateways`, as routes. A route's id is its host, so it stays the same at each start. */
export const gatewaysSetting = z
  .array(gatewaySetting, { error: 'write a list of gateways' })
  .transform((settings, context): readonly GatewayRoute[] => {
    const routes: GatewayRoute[] = [];
    const refuse = (path: readonly string[], message: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message });
    settings.forEach((setting, index) => {
      const host = setting.host.toLowerCase();
      if (routes.some((route) => route.host === host)) refuse([`${index}`, 'host'], 'name each host once');
      try {
        routes.push({ id: `config:${host}` as RouteId, ...readRoute(inputOf(setting)) });
      } catch (error) {
        if (!isTillgateError(error, 'INVALID_FIELDS')) throw error;
        for (const { path, message } of error.details.fields ?? []) refuse([`${index}`, path], message);
      }
    });
    return routes;
  });

function inputOf({ upstreams, ...setting }: GatewaySetting): RouteInput {
  const nodes = upstreams.map((node) =>
    typeof node === 'string' ? { url: node, headers: {} } : { url: node.url, headers: node.headers ?? {} },
  );
  return withoutUndefined({ ...setting, upstreams: nodes }) as RouteInput;
}

/** Removes undefined values, which would override defaults when spread. */
function withoutUndefined(value: object): object {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.map(([key, each]: [string, unknown]) => [key, isPlain(each) ? withoutUndefined(each) : each]),
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
