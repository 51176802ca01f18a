import type { CorsRules } from './route.ts';

/** The entry of a list of origins that allows every page. */
export const ANY_ORIGIN = '*';

const NONE: readonly string[] = [];
const VARY: readonly string[] = ['Vary', 'Origin'];
/** The reply headers that a page may read. */
const EXPOSED = [
  'Access-Control-Expose-Headers',
  'X-Trace-Id, X-Key-Expires, Retry-After, Link, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Tillgate-Key',
] as const;
/** How long a browser caches a preflight answer, in seconds. */
const MAX_AGE = '600';
const HEADER_NAMES = /^[!#$%&'*+.^_`|~0-9A-Za-z, \t-]{1,4096}$/;

/** `https://app.example:8443`, as browsers write it: lower case, no path, no default port. */
export function isOrigin(text: string): boolean {
  const parts = /^([a-z][a-z0-9+.-]{0,31}):\/\/[a-z0-9.:[\]-]{1,255}$/.exec(text);
  return parts !== null && (!/^https?$/.test(parts[1] ?? '') || (URL.canParse(text) && new URL(text).origin === text));
}

/**
 * True when a page of this origin may use the route.
 *
 * @param origin - the request's header, compared byte for byte; `null` when the request does not come from a page
 */
export function allowsOrigin({ origins }: CorsRules, origin: string | null): boolean {
  return origin === null || origins.includes(ANY_ORIGIN) || origins.includes(origin);
}

/** The headers, names and values in turn, that let a page read a reply, including a refusal. */
export function corsHeaders(rules: CorsRules, origin: string | null): readonly string[] {
  if (rules.origins.includes(ANY_ORIGIN))
    return origin === null ? NONE : ['Access-Control-Allow-Origin', ANY_ORIGIN, ...EXPOSED];
  // Prevents caches from giving one origin's reply to another.
  return origin === null || !allowsOrigin(rules, origin)
    ? VARY
    : ['Access-Control-Allow-Origin', origin, ...EXPOSED, ...VARY];
}

/**
 * The answer to a preflight request.
 *
 * @param methods - the HTTP methods of the route
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
