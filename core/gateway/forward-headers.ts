import { checkMerchantUrl } from '../callbacks/url.ts';

/** Headers of one hop (RFC 9110, section 7.6.1), and those that frame a message: each side of the gateway has its own. */
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
 * What a client's request never brings to a node: its credentials, where it came from by its own account, and what
 * makes a server treat the request as another one than was checked.
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

/** What a node's reply never brings to a client: state and policies of another host (CORS), and that host's authentication. */
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
  // Only the gateway itself asks its clients for money.
  'payment-required',
  'payment-response',
  'tillgate-key',
]);

/** Headers that an upstream is configured with. */
export interface OwnHeaders {
  /** In lower case. */
  readonly names: ReadonlySet<string>;
  /** Names and values in turn. */
  readonly pairs: readonly string[];
}

/**
 * The headers of a request to an upstream: the client's, without what must not go there, and then the upstream's own.
 *
 * @param rawHeaders - names and values in turn, as they came
 * @param key - a header that holds it anywhere is left out
 * @param own - they replace the client's of the same names
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

/** That a message came through the gateway, and in which version (RFC 9110, section 7.6.3); where from, it does not say. */
export const viaOf = (httpVersion: string): string => `${httpVersion} tillgate`;

/** The upstream that a reply came from. */
export interface ReplySource {
  readonly hostname: string;
  /** Parts of its URL and headers that nobody else may see. */
  readonly secrets: readonly string[];
}

/**
 * The headers of an upstream's reply that go back to the client; `Location` and `Link` only where they are safe.
 *
 * @param rawHeaders - names and values in turn, as they came
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

/** True for the URL of another public host. What leads to the upstream itself, relative or not, is of no use to a client. */
export function isSafeLocation(location: string, { hostname }: ReplySource): boolean {
  return checkMerchantUrl(location, false) === null && new URL(location).hostname !== hostname;
}

function holdsSecret(value: string, { secrets }: ReplySource): boolean {
  return secrets.length > 0 && secrets.some((secret) => value.includes(secret));
}

/** The names that `Connection` lists besides the usual words; `null` for none. */
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
