import { TillgateError } from '../../core/index.ts';
import { header } from './messages.ts';
import type { HttpRequest } from './messages.ts';

/**
 * Headers that may appear only once. Node keeps the first value of some and joins others with a comma, so two readers
 * of one request could see two different credentials, hosts or lengths.
 */
const SINGLE = [
  'host',
  'api-key',
  'x-token',
  'api-token',
  'algorithm',
  'date',
  'body-md5',
  'signature',
  'authorization',
  'idempotency-key',
  'if-match',
  'x-csrf-token',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
] as const;
export const SINGLE_HEADERS: ReadonlySet<string> = new Set(SINGLE);

/**
 * The path of a target without its query. It also reads absolute-form targets, so that their route is found before they
 * are refused.
 */
export function pathOf(target: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', Math.max(0, target.indexOf('://') + 3));
  if (start === -1) return '/';
  const end = target.slice(start).search(/[?#]/);
  return end === -1 ? target.slice(start) : target.slice(start, start + end);
}

/** The query of a target, without its question mark. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

/**
 * The checks that a request must pass before its body is read.
 * @throws TillgateError `MALFORMED_REQUEST`
 */
export function checkRequest({ target, headers }: HttpRequest): void {
  if (!target.startsWith('/')) throw malformed('The request target must be a path.');
  if (target.includes('#')) throw malformed('The request target must not hold a fragment.');
  // A raw | would let the signature of one target and body be valid for another.
  if (target.includes('|')) throw malformed('The request target must not hold a raw "|"; write %7C.');
  for (const name of SINGLE) {
    const values = headers.get(name);
    if (values !== undefined && values.length > 1) throw malformed(`The header ${name} is repeated.`);
  }
  const coding = header(headers, 'transfer-encoding');
  if (coding !== null && coding.trim().toLowerCase() !== 'chunked')
    throw malformed('The only supported transfer coding is chunked.');
}

/**
 * Refuses a body that no operation reads: one that a signature does not cover, or that a proxy could take for the next
 * request.
 * @throws TillgateError `MALFORMED_REQUEST`
 */
export function refuseUnreadBody({ method, body }: HttpRequest): void {
  if (body.present && (method === 'GET' || method === 'HEAD'))
    throw malformed(`A ${method} request must not have a body.`);
}

const malformed = (message: string): TillgateError => new TillgateError('MALFORMED_REQUEST', message);
