import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { corsHeaders, formatInstant, NO_LIMITS } from '../../core/index.ts';
import type {
  AdmissionMode,
  AdmissionVerdict,
  AppUse,
  Authenticated,
  EffectiveLimits,
  RequestHead,
} from '../../core/index.ts';
import type { LiveRoute } from './live-route.ts';
import { newRequestHeadCache } from './request-head-cache.ts';
import type { RequestHeadCache } from './request-head-cache.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
  readonly hostHeader: string;
  /** True for a request to upgrade the protocol. */
  readonly upgrade: boolean;
  readonly headCache: RequestHeadCache;
  /** `null` until the request's head was checked. */
  readonly head: RequestHead | null;
}

/** The connection on which a request arrived. */
export interface ClientConnection {
  /** Its remote address; empty once it is closed. It is read only where a check needs it. */
  readonly peer: string;
}

const NO_CONNECTION: ClientConnection = { peer: '' };

/** A request with the results of its checks so far. */
export interface RequestContext extends Omit<ReceivedRequest, 'head'> {
  readonly traceId: string;
  readonly connection: ClientConnection;
  /** By `performance.now()`, in milliseconds. */
  readonly startedAt: number;
  live: LiveRoute | null;
  head: RequestHead | null;
  /** Path and query without the key. */
  rest: string;
  /** A secret: never log, measure or send it. */
  keyText: string;
  auth: Authenticated | null;
  mode: AdmissionMode;
  limits: EffectiveLimits;
  use: AppUse | null;
  admission: AdmissionVerdict | null;
  /** The methods of its calls; `null` until they were parsed. */
  methods: readonly string[] | null;
  /** True once the request was sent to a node. */
  sent: boolean;
  /** True when no node has worked on it: it then costs no units. */
  unanswered: boolean;
}

const UNLIMITED: EffectiveLimits = { app: NO_LIMITS, account: NO_LIMITS };

/** A request that Node's HTTP server read. */
export function receivedByNode(req: IncomingMessage, upgrade: boolean): ReceivedRequest {
  return {
    method: req.method ?? '',
    // Express removes the mount path from `url`, and keeps the target as it was received in `originalUrl`.
    target: (req as IncomingMessage & { readonly originalUrl?: string }).originalUrl ?? req.url ?? '',
    httpVersion: req.httpVersion,
    rawHeaders: req.rawHeaders,
    hostHeader: req.headers.host ?? '',
    upgrade,
    head: null,
    headCache: newRequestHeadCache(),
  };
}

export function newRequestContext(
  traceId: string,
  received: ReceivedRequest,
  connection = NO_CONNECTION,
): RequestContext {
  const { method, target, httpVersion, rawHeaders, hostHeader, upgrade, head, headCache } = received;
  return {
    traceId,
    connection,
    startedAt: performance.now(),
    method,
    target,
    httpVersion,
    rawHeaders,
    hostHeader,
    upgrade,
    headCache,
    live: null,
    head,
    rest: '/',
    keyText: '',
    auth: null,
    mode: 'enforce',
    limits: UNLIMITED,
    use: null,
    admission: null,
    methods: null,
    sent: false,
    unanswered: false,
  };
}

const NONE: readonly string[] = [];

/** The end of a key that has one; every response has it. */
export function graceHeaders(auth: Authenticated | null): readonly string[] {
  const expires = auth?.key.expiresAt ?? null;
  return expires === null ? NONE : ['X-Key-Expires', formatInstant(expires)];
}

/** The CORS headers with which a page may read the response to a browser's request. */
export function corsOf({ live, head }: RequestContext): readonly string[] {
  return live === null || head === null ? NONE : corsHeaders(live.route.cors, head.origin);
}

/** The path for logs: without the key and everything behind it. */
export function pathTemplate({ keyText, target, rest }: RequestContext): string {
  const keyed = keyText !== '' && target.startsWith(`/${keyText}`);
  return `${keyed ? '/{key}' : ''}${rest === '/' ? '/' : '/*'}`;
}
