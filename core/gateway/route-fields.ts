import { chainProblem, limitErrors } from './app-fields.ts';
import { isMetadataHost } from '../notify/index.ts';
import type { FieldError } from '../kernel/index.ts';
import { ANY_ORIGIN, isOrigin } from './cors.ts';
import { isMethodPattern } from './method-policy.ts';
import { methodRateErrors } from './method-rates.ts';
import { ANY_METHOD } from './metered-route.ts';
import { PLAN_NAME } from './plan.ts';
import { ADMISSION_MODES, SUBSCRIPTION_MODES } from './route.ts';
import type {
  GatewayRoute,
  LogRules,
  MethodRules,
  ReadRules,
  RouteProtocol,
  RouteTimeouts,
  RouteUpstream,
} from './route.ts';

/** The names of the fields that are a number or `null`. */
type NumberIn<T> = { [Name in keyof T]: T[Name] extends number | null ? Name : never }[keyof T];

/** The fields of a route besides its id. */
export type RouteFields = Omit<GatewayRoute, 'id'>;

/** The most elements of a route's lists, and the longest URL of an upstream. */
export const ROUTE_BOUNDS = { upstreams: 32, methods: 1_000, origins: 100, plans: 20, urlLength: 2048 } as const;

const SCHEMES: Readonly<Record<RouteProtocol, readonly string[]>> = {
  jsonrpc: ['http:', 'https:'],
  http: ['http:', 'https:'],
  websocket: ['ws:', 'wss:', 'http:', 'https:'],
};
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const NETWORK = /^[^\p{Cc}]{1,64}$/u;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;
/** Framing headers belong to each side of the gateway, and `Host` follows from the URL. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const MAX_BLOCKS = 1_000_000_000;
const MAX_UNITS = 1_000_000;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_BODY_BYTES = 1024 * 1024 * 1024;
const MAX_BATCH = 100_000;

const TIMEOUTS = ['connectMs', 'firstByteMs', 'idleMs'] as const satisfies readonly (keyof RouteTimeouts)[];

const when = (wrong: boolean, path: string, message: string): FieldError[] => (wrong ? [{ path, message }] : []);

const isWhole = (value: number, from: number, to: number): boolean =>
  Number.isSafeInteger(value) && value >= from && value <= to;

function headerErrors(headers: RouteUpstream['headers'], path: string): FieldError[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!HEADER_NAME.test(name)) return [{ path: `${path}.headers`, message: 'must have names that HTTP allows' }];
    const reserved = RESERVED_HEADERS.has(name.toLowerCase());
    return [
      ...when(reserved, `${path}.headers.${name}`, 'is set by the gateway itself'),
      // The message does not repeat the value, which may be a secret.
      ...when(!HEADER_VALUE.test(value), `${path}.headers.${name}`, 'must be a header value without line breaks'),
    ];
  });
}

function urlProblem(url: string, protocol: RouteProtocol): string | null {
  const schemes = SCHEMES[protocol] ?? [];
  const fits =
    url.length <= ROUTE_BOUNDS.urlLength &&
    /^[\x21-\x7e]+$/.test(url) &&
    !url.includes('#') &&
    !url.includes('\\') &&
    URL.canParse(url) &&
    schemes.includes(new URL(url).protocol);
  if (fits && isMetadataHost(new URL(url).hostname))
    return 'must not point to a link-local address, or to the metadata of a cloud';
  return fits ? null : `must be an absolute URL (${schemes.map((scheme) => scheme.slice(0, -1)).join(', ')})`;
}

function upstreamErrors({ upstreams, protocol }: RouteFields): FieldError[] {
  const own = when(
    upstreams.length === 0 || upstreams.length > ROUTE_BOUNDS.upstreams,
    'upstreams',
    `must name 1 to ${ROUTE_BOUNDS.upstreams} nodes`,
  );
  return [
    ...own,
    ...upstreams.flatMap(({ url, headers }, index) => {
      const wrong = urlProblem(url, protocol);
      return [
        ...when(wrong !== null, `upstreams.${index}.url`, wrong ?? ''),
        ...headerErrors(headers, `upstreams.${index}`),
      ];
    }),
  ];
}

function methodErrors({ methods }: RouteFields): FieldError[] {
  return (['allow', 'deny'] as const satisfies readonly (keyof MethodRules)[]).flatMap((list) => [
    ...when(
      methods[list].length > ROUTE_BOUNDS.methods,
      `methods.${list}`,
      `must have at most ${ROUTE_BOUNDS.methods} methods`,
    ),
    ...methods[list].flatMap((method, index) =>
      when(!isMethodPattern(method), `methods.${list}.${index}`, 'must be a method, or a prefix that ends in *'),
    ),
  ]);
}

/** Names are restricted, because they are copied into reports unchanged. */
function unitErrors({ units }: RouteFields): FieldError[] {
  const entries = Object.entries(units);
  return [
    ...when(entries.length > ROUTE_BOUNDS.methods, 'units', `must have at most ${ROUTE_BOUNDS.methods} methods`),
    ...entries.flatMap(([method, cost]) => {
      const named = method === ANY_METHOD || (isMethodPattern(method) && !method.endsWith('*'));
      return [
        ...when(!named, 'units', 'must be the name of a method, or * for all others'),
        ...when(
          named && !isWhole(cost, 0, MAX_UNITS),
          `units.${method}`,
          `must be a whole number from 0 to ${MAX_UNITS}`,
        ),
      ];
    }),
  ];
}

function corsErrors({ cors: { origins } }: RouteFields): FieldError[] {
  return [
    ...when(origins.length > ROUTE_BOUNDS.origins, 'cors.origins', `must have at most ${ROUTE_BOUNDS.origins} origins`),
    ...origins.flatMap((origin, index) =>
      when(
        origin !== ANY_ORIGIN && !isOrigin(origin),
        `cors.origins.${index}`,
        'must be an origin, such as https://app.example, or *',
      ),
    ),
  ];
}

/** The range of each number among the read rules; `null` is always allowed. */
const READ_NUMBERS: readonly (readonly [NumberIn<ReadRules>, number, number])[] = [
  ['headLagBlocks', 0, MAX_BLOCKS],
  ['hedgeAfterMs', 1, MAX_TIMEOUT_MS],
];

/** The same of its rules for logs. */
const LOG_NUMBERS: readonly (readonly [keyof LogRules, number, number])[] = [
  ['maxRange', 1, MAX_BLOCKS],
  ['splitInto', 1, 100],
  ['maxResults', 1, 1_000_000],
];

function logErrors(logs: LogRules | null): FieldError[] {
  if (logs === null) return [];
  return LOG_NUMBERS.flatMap(([name, from, to]) =>
    when(!isWhole(logs[name], from, to), `reads.logs.${name}`, `must be a whole number from ${from} to ${to}`),
  );
}

function readErrors({ reads }: RouteFields): FieldError[] {
  const numbers = READ_NUMBERS.flatMap(([name, from, to]) => {
    const value = reads[name];
    return when(
      value !== null && !isWhole(value, from, to),
      `reads.${name}`,
      `must be a whole number from ${from} to ${to}, or null`,
    );
  });
  const known = SUBSCRIPTION_MODES.includes(reads.subscriptions);
  return [
    ...numbers,
    ...logErrors(reads.logs),
    ...when(!known, 'reads.subscriptions', `must be one of ${SUBSCRIPTION_MODES.join(', ')}`),
  ];
}

function planErrors({ plans, protocol }: RouteFields): FieldError[] {
  return [
    ...when(plans.length > ROUTE_BOUNDS.plans, 'plans', `must have at most ${ROUTE_BOUNDS.plans} plans`),
    ...when(
      plans.length > 0 && protocol === 'websocket',
      'plans',
      'must be empty for a websocket gateway, because plans are paid for over HTTP',
    ),
    ...plans.flatMap((plan, index) =>
      when(!PLAN_NAME.test(plan), `plans.${index}`, 'must be the name of a plan of gateway.sales'),
    ),
  ];
}

/** Every invalid field of a route. No message repeats an upstream's URL or headers. */
export function routeErrors(route: RouteFields): readonly FieldError[] {
  const { host, chain, network, protocol, admission, limits, timeouts, maxBodyBytes, maxBatch } = route;
  const chainWrong = chainProblem(chain);
  return [
    ...when(!HOST.test(host), 'host', 'must be a host name in lower case, without a port'),
    ...when(chainWrong !== null, 'chain', chainWrong ?? ''),
    ...when(!NETWORK.test(network), 'network', 'must have 1 to 64 characters'),
    ...when(!Object.hasOwn(SCHEMES, protocol), 'protocol', `must be one of ${Object.keys(SCHEMES).join(', ')}`),
    ...upstreamErrors(route),
    ...when(!ADMISSION_MODES.includes(admission), 'admission', `must be one of ${ADMISSION_MODES.join(', ')}`),
    ...methodErrors(route),
    ...limitErrors(limits),
    ...methodRateErrors(limits.methods ?? {}),
    ...corsErrors(route),
    ...unitErrors(route),
    ...readErrors(route),
    ...planErrors(route),
    ...TIMEOUTS.flatMap((name) =>
      when(
        !isWhole(timeouts[name], 1, MAX_TIMEOUT_MS),
        `timeouts.${name}`,
        `must be a whole number from 1 to ${MAX_TIMEOUT_MS}`,
      ),
    ),
    ...when(
      !isWhole(maxBodyBytes, 1, MAX_BODY_BYTES),
      'maxBodyBytes',
      `must be a whole number from 1 to ${MAX_BODY_BYTES}`,
    ),
    ...when(!isWhole(maxBatch, 1, MAX_BATCH), 'maxBatch', `must be a whole number from 1 to ${MAX_BATCH}`),
  ];
}
