import type { IncomingMessage } from 'node:http';
import type { AdmissionLimits, AdmissionMode, AdmissionVerdict, AppUse, Authenticated, RequestHead } from '../../core/index.ts';
import type { LiveRoute } from './live-route.ts';

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
  live: LiveRoute | null;
  head: RequestHead | null;
  /** Path and query without the key. */
  rest: string;
  /** A secret: never to be logged, measured or sent. */
  keyText: string;
  auth: Authenticated | null;
  mode: AdmissionMode;
  limits: AdmissionLimits;
  use: AppUse | null;
  admission: AdmissionVerdict | null;
}

const NO_LIMITS: AdmissionLimits = { requestsPerSecond: null, burst: null, concurrency: null };

export function visitOf(req: IncomingMessage, traceId: string, upgrade: boolean): Visit {
  return {
    traceId,
    startedAt: performance.now(),
    method: req.method ?? '',
    // Express cuts the mount path off `url`; the target as it came is kept beside it.
    target: (req as IncomingMessage & { readonly originalUrl?: string }).originalUrl ?? req.url ?? '',
    httpVersion: req.httpVersion,
    rawHeaders: req.rawHeaders,
    hostHeader: req.headers.host ?? '',
    upgrade,
    live: null,
    head: null,
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
