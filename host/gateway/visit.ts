import type { IncomingMessage } from 'node:http';
import type { AdmissionLimits, AdmissionMode, AdmissionVerdict, AppUsage, Authenticated, RequestHead } from '../../core/index.ts';
import type { PlainRequest } from './http1/plain-request.ts';
import type { LiveRoute } from './live-route.ts';
import { newMemo } from './memo.ts';
import type { Memo } from './memo.ts';

/** A request on its way through the gate, and what the gate has found out about it so far. */
export interface Visit {
  readonly traceId: string;
  /** On the machine's steady clock, in milliseconds. */
  readonly startedAt: number;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
  readonly hostHeader: string;
  /** True for a request to change the protocol. */
  readonly upgrade: boolean;
  readonly memo: Memo;
  live: LiveRoute | null;
  head: RequestHead | null;
  /** Path and query without the key. */
  rest: string;
  /** A secret: never to be logged, measured or sent. */
  keyText: string;
  auth: Authenticated | null;
  mode: AdmissionMode;
  limits: AdmissionLimits;
  use: AppUsage | null;
  admission: AdmissionVerdict | null;
}

const NO_LIMITS: AdmissionLimits = { requestsPerSecond: null, burst: null, concurrency: null };

export function visitOf(req: IncomingMessage, traceId: string, upgrade: boolean): Visit {
  return newVisit(traceId, {
    method: req.method ?? '',
    // Express cuts the mount path off `url`; the target as it came is kept beside it.
    target: (req as IncomingMessage & { readonly originalUrl?: string }).originalUrl ?? req.url ?? '',
    httpVersion: req.httpVersion,
    rawHeaders: req.rawHeaders,
    hostHeader: req.headers.host ?? '',
    upgrade,
    head: null,
    memo: newMemo(),
  });
}

/** A request whose head was read, and checked like any other, by the gateway itself. */
export function visitOfPlain({ method, target, fields, host, head, memo }: PlainRequest, traceId: string): Visit {
  return newVisit(traceId, { method, target, httpVersion: '1.1', rawHeaders: fields, hostHeader: host, upgrade: false, head, memo });
}

type Came = Pick<Visit, 'method' | 'target' | 'httpVersion' | 'rawHeaders' | 'hostHeader' | 'upgrade' | 'head' | 'memo'>;

function newVisit(traceId: string, { method, target, httpVersion, rawHeaders, hostHeader, upgrade, head, memo }: Came): Visit {
  return {
    traceId,
    startedAt: performance.now(),
    method,
    target,
    httpVersion,
    rawHeaders,
    hostHeader,
    upgrade,
    memo,
    live: null,
    head,
    rest: '/',
    keyText: '',
    auth: null,
    mode: 'enforce',
    limits: NO_LIMITS,
    use: null,
    admission: null,
  };
}

/** The path as it may be logged: the key, and all that follows it, left out. */
export function pathTemplate({ keyText, target, rest }: Visit): string {
  const keyed = keyText !== '' && target.startsWith(`/${keyText}`);
  return `${keyed ? '/{key}' : ''}${rest === '/' ? '/' : '/*'}`;
}
