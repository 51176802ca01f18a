import { APP_KEY_PREFIX, isAppKeyText } from './app-key-text.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { RouteProtocol } from './route.ts';

/** A request target without the key. */
export interface GatewayTarget {
  /** The first path segment when it has the prefix of a key, otherwise `null`. */
  readonly pathKey: string | null;
  /** Path and query without the key, byte for byte, beginning with `/`; forwarded to the upstream. */
  readonly rest: string;
}

const BEARER = 'Bearer ';
/**
 * Rejected in paths: dot segments, plain or encoded, also before a semicolon (some servers remove path parameters
 * first); encoded separators; doubled slashes; backslashes; control characters and non-ASCII bytes.
 */
const UNSAFE_PATH = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|;|%3b|$)|%2f|%5c|%00|\/\/|\\|[^\x21-\x7e]/i;

/**
 * Separates the key from the request target.
 *
 * @param target - as received
 */
export function readTarget(protocol: RouteProtocol, target: string): GatewayTarget | Refusal {
  if (!target.startsWith('/') || target.includes('#'))
    return refuse('bad_request', { message: 'The request target must be a path.' });
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  if (UNSAFE_PATH.test(path))
    return refuse('bad_request', {
      message: 'The path must not contain dot segments, encoded separators or doubled slashes.',
    });
  const segmentEnd = path.indexOf('/', 1);
  const first = segmentEnd < 0 ? path.slice(1) : path.slice(1, segmentEnd);
  const pathKey = first.startsWith(APP_KEY_PREFIX) ? first : null;
  const rest = pathKey === null ? target : target.slice(1 + first.length);
  // A query without a path is no valid target: `/<key>?a=b` becomes `/?a=b`.
  const slashed = rest.startsWith('/') ? rest : `/${rest}`;
  if (protocol !== 'http' && slashed !== '/' && !slashed.startsWith('/?')) return refuse('not_found');
  return { pathKey, rest: slashed };
}

const ENCODED = /%([0-9a-f]{2})/gi;

/** True for a target that contains the key, plain or percent-encoded: an upstream decodes both to the same text. */
export function holdsKey(target: string, key: string): boolean {
  if (target.includes(key)) return true;
  return (
    target.includes('%') &&
    target.replace(ENCODED, (_, hex) => String.fromCharCode(parseInt(hex as string, 16))).includes(key)
  );
}

/**
 * Reads the key of a request from the header, exactly `Bearer <key>`, or from the path; when both are present they must
 * be equal.
 *
 * @param authorization - every value of the header
 */
export function readKey(authorization: readonly string[], pathKey: string | null): { readonly key: string } | Refusal {
  if (authorization.length > 1)
    return refuse('bad_request', { message: 'The header Authorization must not be repeated.' });
  const [header] = authorization;
  if (header === undefined && pathKey === null) return refuse('key_missing');
  // Any other scheme in the header counts as a malformed key.
  const headerKey = header === undefined ? null : header.startsWith(BEARER) ? header.slice(BEARER.length) : '';
  if (headerKey !== null && !isAppKeyText(headerKey)) return refuse('key_malformed');
  if (pathKey !== null && pathKey !== headerKey && !isAppKeyText(pathKey)) return refuse('key_malformed');
  if (headerKey !== null && pathKey !== null && headerKey !== pathKey) return refuse('key_mismatch');
  return { key: (headerKey ?? pathKey) as string };
}
