import { TillgateError } from '../../core/index.ts';
import type { HeaderMap } from './messages.ts';
import { header } from './messages.ts';

/** The kinds of body that an operation reads. */
export type BodyKind = 'json' | 'form' | 'csv';

const KINDS: Readonly<Record<string, BodyKind>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'text/csv': 'csv',
};
const CHARSET = /^charset=(?:utf-?8|"utf-?8")$/i;

/**
 * The kind of body that the headers declare.
 * @throws TillgateError `UNSUPPORTED_MEDIA_TYPE` for another type, another charset or any encoding
 */
export function bodyKind(headers: HeaderMap, accepted: readonly BodyKind[]): BodyKind {
  const encoding = header(headers, 'content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') throw unsupported(accepted);
  const type = header(headers, 'content-type') ?? '';
  // The fast path of nearly every request.
  if (type === 'application/json') return one('json', accepted);
  const [name = '', ...parameters] = type.split(';').map((part) => part.trim());
  const kind = Object.hasOwn(KINDS, name.toLowerCase()) ? KINDS[name.toLowerCase()] : undefined;
  const charsets = parameters.filter((parameter) => /^charset\s*=/i.test(parameter));
  if (kind === undefined || !charsets.every((charset) => CHARSET.test(charset))) throw unsupported(accepted);
  return one(kind, accepted);
}

function one(kind: BodyKind, accepted: readonly BodyKind[]): BodyKind {
  if (!accepted.includes(kind)) throw unsupported(accepted);
  return kind;
}

function unsupported(accepted: readonly BodyKind[]): TillgateError {
  const names = Object.entries(KINDS).flatMap(([name, kind]) => (accepted.includes(kind) ? [name] : []));
  return new TillgateError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body as ${names.join(' or ')} in UTF-8, without a content encoding.`,
  );
}

/** Whether the request prefers HTML to JSON, because a page sent it. */
export function prefersHtml(headers: HeaderMap): boolean {
  const accept = header(headers, 'accept') ?? '';
  const html = accept.indexOf('text/html');
  const json = accept.indexOf('application/json');
  return html !== -1 && (json === -1 || html < json);
}
