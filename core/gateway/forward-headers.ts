import { checkMerchantUrl } from '../notify/index.ts';

/** Headers of one hop (RFC 9110, section 7.6.1) and framing headers; each side of the gateway has its own. */
const HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
];

/**
 * Client headers that are never forwarded: credentials, claims about the client's address, and headers that make a
 * server treat the request differently from the one that was checked.
 */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP,
  'host',
  'expect',
  'authorization',
  'payment-signature',
  'cookie',
  'cookie2',
  'referer',
  'origin',
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'x-original-host',
  'x-host',
]);
const NOT_SENT_PREFIXES = ['x-forwarded', 'cf-connecting', 'sec-websocket-', 'access-control-'];

/** Reply headers that are never returned: cookies and policies of another host (CORS), and its authentication. */
const NOT_RETURNED: ReadonlySet<string> = new Set([
  ...HOP,
  'set-cookie',
  'set-cookie2',
  'www-authenticate',
  'authentication-info',
  'alt-svc',
  'strict-transport-security',
  'public-key-pins',
  'clear-site-data',
  'nel',
  'report-to',
  'reporting-endpoints',
  'refresh',
  'content-location',
  'service-worker-allowed',
  'sourcemap',
  'x-accel-redirect',
  'x-sendfile',
  'x-trace-id',
  'x-key-expires',
  // Only the gateway itself requests payments from its clients.
  'payment-required',
  'payment-response',
  'tillgate-key',
]);

/** The configured headers of an upstream. */
export interface OwnHeaders {
  /** In lower case. */
  readonly names: ReadonlySet<string>;
  /** Names and values in turn. */
  readonly pairs: readonly string[];
}

/**
 * The headers of a request to an upstream: the client's, without the forbidden ones, followed by the upstream's own.
 *
 * @param rawHeaders - names and values in turn, as received
 * @param key - a header that contains it is omitted
 * @param own - they replace the client's headers of the same names
 * @param httpVersion - of the client's request
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  key: string,
  own: OwnHeaders,
  httpVersion: string,
  contentType: string | null = null,
): string[] {
  const listed = connectionTokens(rawHeaders);
  const sent: string[] = [];
  let typed = own.names.has('content-type');
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    const value = rawHeaders[at + 1] as string;
    if (NOT_SENT.has(name) || listed?.has(name) === true || own.names.has(name) || value.includes(key)) continue;
    if (NOT_SENT_PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
    sent.push(name, value);
    typed ||= name === 'content-type';
  }
  if (!typed && contentType !== null) sent.push('content-type', contentType);
  if (!own.names.has('via')) sent.push('via', viaOf(httpVersion));
  return own.pairs.length === 0 ? sent : [...sent, ...own.pairs];
}

/** The `Via` header (RFC 9110, section 7.6.3), without the client's address. */
export const viaOf = (httpVersion: string): string => `${httpVersion} tillgate`;

/** The upstream that sent a reply. */
export interface ReplySource {
  readonly hostname: string;
  /** Parts of its URL and headers that no client may see. */
  readonly secrets: readonly string[];
}

/**
 * The headers of an upstream's reply for the client; `Location` and `Link` only where they are safe.
 *
 * @param rawHeaders - names and values in turn, as received
 */
export function replyHeaders(rawHeaders: readonly string[], source: ReplySource): string[] {
  const listed = connectionTokens(rawHeaders);
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string;
    const name = given.toLowerCase();
    const value = rawHeaders[at + 1] as string;
    if (NOT_RETURNED.has(name) || listed?.has(name) === true || holdsSecret(value, source)) continue;
    if (name.startsWith('access-control-')) continue;
    if (name === 'location' && !isSafeLocation(value, source)) continue;
    if (name === 'link' && value.includes(source.hostname)) continue;
    kept.push(given, value);
  }
  return kept;
}

/** True for the URL of another public host. A URL of the upstream itself, relative or not, is useless to a client. */
export function isSafeLocation(location: string, { hostname }: ReplySource): boolean {
  return checkMerchantUrl(location, false) === null && new URL(location).hostname !== hostname;
}

function holdsSecret(value: string, { secrets }: ReplySource): boolean {
  return secrets.length > 0 && secrets.some((secret) => value.includes(secret));
}

/** The header names that `Connection` lists besides the usual ones; `null` for none. */
function connectionTokens(rawHeaders: readonly string[]): ReadonlySet<string> | null {
  let tokens: Set<string> | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    const value = rawHeaders[at + 1] as string;
    if (value === 'keep-alive') continue;
    for (const part of value.split(',')) {
      const token = part.trim().toLowerCase();
      if (token !== '' && token !== 'keep-alive' && token !== 'close') (tokens ??= new Set()).add(token);
    }
  }
  return tokens;
}
