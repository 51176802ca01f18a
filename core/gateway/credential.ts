import { APP_KEY_PREFIX, isAppKeyText } from '../keys/app-key-text.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { RouteProtocol } from './route.ts';

/** A request target, the key taken out of it. */
export interface GatewayTarget {
  /** The first path segment when it begins as a key does, else `null`. */
  readonly pathKey: string | null;
  /** Path and query without the key, byte for byte, beginning with `/`: what goes to the upstream. */
  readonly rest: string;
}

const BEARER = 'Bearer ';
/**
 * Dot segments, plain or encoded, also with parameters behind a semicolon, which some servers cut off first; encoded separators;
 * doubled slashes; backslashes; controls and non-ASCII bytes.
 */
const UNSAFE_PATH = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|;|%3b|$)|%2f|%5c|%00|\/\/|\\|[^\x21-\x7e]/i;

/**
 * Takes the key out of the request target (decisions, section 8).
 *
 * @param target - as it came in
 */
export function readTarget(protocol: RouteProtocol, target: string): GatewayTarget | Refusal {
  if (!target.startsWith('/') || target.includes('#'))
    return refuse('bad_request', { message: 'The request target must be a path.' });
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  if (UNSAFE_PATH.test(path))
    return refuse('bad_request', {
      message: 'The path must not hold dot segments, encoded separators or doubled slashes.',
    });
  const segmentEnd = path.indexOf('/', 1);
  const first = segmentEnd < 0 ? path.slice(1) : path.slice(1, segmentEnd);
  const pathKey = first.startsWith(APP_KEY_PREFIX) ? first : null;
  const rest = pathKey === null ? target : target.slice(1 + first.length);
  // The query alone is no target: `/<key>?a=b` asks for `/?a=b`.
  const slashed = rest.startsWith('/') ? rest : `/${rest}`;
  if (protocol !== 'http' && slashed !== '/' && !slashed.startsWith('/?')) return refuse('not_found');
  return { pathKey, rest: slashed };
}

const ENCODED = /%([0-9a-f]{2})/gi;

/** True for a target that holds the key in plain or in encoded characters: an upstream reads both as the same. */
export function holdsKey(target: string, key: string): boolean {
  if (target.includes(key)) return true;
  return (
    target.includes('%') &&
    target.replace(ENCODED, (_, hex) => String.fromCharCode(parseInt(hex as string, 16))).includes(key)
  );
}

/**
 * The key of a request: from the header, exactly `Bearer <key>`, or from the path; both must be equal.
 *
 * @param authorization - every value of the header
 */
export function readKey(authorization: readonly string[], pathKey: string | null): { readonly key: string } | Refusal {
  if (authorization.length > 1)
    return refuse('bad_request', { message: 'The header Authorization must not be repeated.' });
  const [header] = authorization;
  if (header === undefined && pathKey === null) return refuse('key_missing');
  // Anything else in the header makes the key malformed.
  const headerKey = header === undefined ? null : header.startsWith(BEARER) ? header.slice(BEARER.length) : '';
  if (headerKey !== null && !isAppKeyText(headerKey)) return refuse('key_malformed');
  if (pathKey !== null && pathKey !== headerKey && !isAppKeyText(pathKey)) return refuse('key_malformed');
  if (headerKey !== null && pathKey !== null && headerKey !== pathKey) return refuse('key_mismatch');
  return { key: (headerKey ?? pathKey) as string };
}
