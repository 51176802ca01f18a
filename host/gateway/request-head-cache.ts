import { requestHeaders } from '../../core/index.ts';
import type { OwnHeaders, RouteProtocol } from '../../core/index.ts';

/** The App key of a request, and the target without it. */
export interface ExtractedKey {
  /** Path and query without the key. */
  readonly rest: string;
  /** A secret: never log, measure or send it. */
  readonly keyText: string;
}

/**
 * Results that depend only on a request's head and the route's settings. A client that repeats its head byte for byte
 * reuses them. Authentication and admission are never cached.
 */
export interface RequestHeadCache {
  protocol: RouteProtocol | null;
  extracted: ExtractedKey | null;
  /** The upstream's configured headers that `headers` were built with. */
  own: OwnHeaders | null;
  headers: readonly string[] | null;
}

export function newRequestHeadCache(): RequestHeadCache {
  return { protocol: null, extracted: null, own: null, headers: null };
}

/** A cache for another head with the same target and `Authorization`, without the results of its other lines. */
export function keyOf({ protocol, extracted }: RequestHeadCache): RequestHeadCache {
  return { protocol, extracted, own: null, headers: null };
}

/** A client's head whose key was found. */
interface KeyedHead {
  readonly rawHeaders: readonly string[];
  readonly keyText: string;
  readonly httpVersion: string;
  readonly headCache: RequestHeadCache;
}

/**
 * The headers that are sent to an upstream: the client's except hop-by-hop ones, and the upstream's configured ones.
 */
export function upstreamHeaders(
  { rawHeaders, keyText, httpVersion, headCache }: KeyedHead,
  own: OwnHeaders,
): readonly string[] {
  if (headCache.headers === null || headCache.own !== own) {
    // Some clients that set a header of their own no longer send this one, and nodes refuse a body without it.
    const contentType = headCache.protocol === 'jsonrpc' ? 'application/json' : null;
    headCache.headers = requestHeaders(rawHeaders, keyText, own, httpVersion, contentType);
    headCache.own = own;
  }
  return headCache.headers;
}
