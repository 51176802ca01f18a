import { TillgateError } from '../../core/index.ts';
import { header } from './messages.ts';
import type { HttpRequest } from './messages.ts';

/**
 * Headers that may appear only once: Node keeps the first of some and joins others with a comma, so that two readers
 * of one request could see two credentials, hosts or lengths.
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

/** The path of a target, without its query; of an absolute-form target too, so that it finds its route before it is refused. */
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
 * The checks that a request has to pass before anything of it is read (decisions, sections 1 and 3).
 * @throws TillgateError `MALFORMED_REQUEST`
 */
export function checkRequest({ method, target, headers, body }: HttpRequest): void {
  if (!target.startsWith('/')) throw malformed('The request target must be a path.');
  if (target.includes('#')) throw malformed('The request target must not hold a fragment.');
  // A bare | would let a signature of one target and body serve for another.
  if (target.includes('|')) throw malformed('The request target must not hold a raw "|"; write %7C.');
  for (const name of SINGLE) {
    const values = headers.get(name);
    if (values !== undefined && values.length > 1) throw malformed(`The header ${name} is repeated.`);
  }
  const coding = header(headers, 'transfer-encoding');
  if (coding !== null && coding.trim().toLowerCase() !== 'chunked')
    throw malformed('The only transfer coding is chunked.');
  if (body.present && (method === 'GET' || method === 'HEAD'))
    throw malformed(`A ${method} request must not have a body.`);
}

const malformed = (message: string): TillgateError => new TillgateError('MALFORMED_REQUEST', message);
