import { isLosslessNumber } from 'lossless-json';
import { TillgateError } from '../../../core/index.ts';
import { z } from 'zod';
import { pageQuery, text } from '../fields.ts';
import { header } from '../messages.ts';
import type { HttpRequest } from '../messages.ts';

const MAX_ID = 64;
const VERSION = /^(?:"([1-9]\d{0,15})"|([1-9]\d{0,15}))$/;

/** The id of a record, in a path. */
export const idParams = (what: string) => z.object({ id: text(MAX_ID, what) });

/** The id of a record, in a body or query. */
export const recordId = (what: string) => text(MAX_ID, what);

/** The query of a list that an admin can narrow to one account. */
export function accountPageQuery(pageMax: number) {
  return pageQuery(pageMax).extend({ account_id: recordId("Only this account's; an admin sees all unless told").optional() });
}

/** The query of an account's own record, which an admin may ask for any account. */
export const accountQuery = z.object({ account_id: recordId('The account; your own unless told').optional() });

/** One of a few words. */
export function word<const T extends readonly [string, ...string[]]>(words: T, description: string) {
  return z.enum(words, { error: ({ input }) => (input === undefined ? 'is required' : `must be one of ${words.join(', ')}`) }).meta({ description });
}

/** true or false. */
export const yesNo = (description: string) => z.boolean({ error: 'must be true or false' }).meta({ description });

/** A number above zero that a double holds: no money. */
export function plainNumber(description: string, whole: boolean) {
  const message = whole ? 'must be a whole number' : 'must be a number';
  return z
    .unknown()
    .transform((value, context): number => {
      const number = isLosslessNumber(value) ? Number(value.value) : NaN;
      if (whole ? Number.isSafeInteger(number) : Number.isFinite(number)) return number;
      context.issues.push({ code: 'custom', input: value, message });
      return z.NEVER;
    })
    .meta({ type: whole ? 'integer' : 'number', description });
}

/** A list of texts. */
export function texts(max: number, itemMax: number, description: string) {
  return z
    .array(text(itemMax, description), { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') })
    .max(max, { error: `must have at most ${max} entries` })
    .meta({ description });
}

/** Without the fields that are absent: a change of a record leaves those as they are. */
export function given<T extends object>(fields: T): { [Field in keyof T as undefined extends T[Field] ? never : Field]: T[Field] } & {
  [Field in keyof T as undefined extends T[Field] ? Field : never]?: Exclude<T[Field], undefined>;
} {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<typeof given<T>>;
}

/**
 * The version in `If-Match` (RFC 9110, section 13.1.1; decisions, section 9): `"3"` or `3`.
 *
 * @throws TillgateError `PRECONDITION_REQUIRED` without one, `VERSION_MISMATCH` for what can be no version
 */
export function expectedVersion({ headers }: HttpRequest): number {
  const value = header(headers, 'if-match');
  if (value === null) throw new TillgateError('PRECONDITION_REQUIRED', 'Send the version of the record in If-Match.');
  const match = VERSION.exec(value.trim());
  if (match === null) throw new TillgateError('VERSION_MISMATCH', 'If-Match must be the version of the record: "3" or 3.');
  return Number(match[1] ?? match[2]);
}
