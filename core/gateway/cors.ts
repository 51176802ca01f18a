import type { CorsRules } from './route.ts';

/** In a list of origins: any page. */
export const ANY_ORIGIN = '*';

const NONE: readonly string[] = [];
const VARY: readonly string[] = ['Vary', 'Origin'];
/** What of a reply a page may read besides its body. */
const EXPOSED = [
  'Access-Control-Expose-Headers',
  'X-Trace-Id, X-Key-Expires, Retry-After, Link, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Tillgate-Key',
] as const;
/** How long a browser remembers an answer, in seconds. */
const MAX_AGE = '600';
const HEADER_NAMES = /^[!#$%&'*+.^_`|~0-9A-Za-z, \t-]{1,4096}$/;

/**
 * True where a page of that origin may use the route.
 *
 * @param origin - the request's header, compared byte for byte; `null` for none: then it is not a page that asks
 */
export function allowsOrigin({ origins }: CorsRules, origin: string | null): boolean {
  return origin === null || origins.includes(ANY_ORIGIN) || origins.includes(origin);
}

/** The headers, names and values in turn, by which a browser lets the page read a reply, refusals included. */
export function corsHeaders(rules: CorsRules, origin: string | null): readonly string[] {
  if (rules.origins.includes(ANY_ORIGIN))
    return origin === null ? NONE : ['Access-Control-Allow-Origin', ANY_ORIGIN, ...EXPOSED];
  // A cache must not give one origin's reply to another.
  return origin === null || !allowsOrigin(rules, origin)
    ? VARY
    : ['Access-Control-Allow-Origin', origin, ...EXPOSED, ...VARY];
}

/**
 * The answer to a browser that asks before it sends a page's request.
 *
 * @param methods - what the route takes
 * @param wanted - the header `Access-Control-Request-Headers`, or nothing
 */
export function preflightHeaders(
  rules: CorsRules,
  origin: string,
  methods: readonly string[],
  wanted: string,
): readonly string[] {
  const common = corsHeaders(rules, origin);
  if (!allowsOrigin(rules, origin)) return common;
  return [
    ...common,
    'Access-Control-Allow-Methods',
    methods.join(', '),
    ...(HEADER_NAMES.test(wanted) ? ['Access-Control-Allow-Headers', wanted] : []),
    'Access-Control-Max-Age',
    MAX_AGE,
  ];
}
