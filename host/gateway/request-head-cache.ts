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
 * What follows from a request's head and the route's settings alone. A client that repeats its head byte for byte
 * reuses it. Authentication and admission are never cached.
 */
export interface RequestHeadCache {
  protocol: RouteProtocol | null;
  extracted: ExtractedKey | null;
  /** The upstream's own headers that `headers` were built with. */
  own: OwnHeaders | null;
  headers: readonly string[] | null;
}

export function newRequestHeadCache(): RequestHeadCache {
  return { protocol: null, extracted: null, own: null, headers: null };
}

/** For another head with the same target and `Authorization`: what does not follow from its other lines. */
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

/** The headers that go to an upstream: the client's without those of this connection, and the upstream's own. */
export function upstreamHeaders(
  { rawHeaders, keyText, httpVersion, headCache }: KeyedHead,
  own: OwnHeaders,
): readonly string[] {
  if (headCache.headers === null || headCache.own !== own) {
    // Some clients that are told a header no longer send this one, and nodes refuse a body without it.
    const contentType = headCache.protocol === 'jsonrpc' ? 'application/json' : null;
    headCache.headers = requestHeaders(rawHeaders, keyText, own, httpVersion, contentType);
    headCache.own = own;
  }
  return headCache.headers;
}
