import { isLosslessNumber } from 'lossless-json';
import { MAX_PASSWORD, parseInstant, TillgateError } from '../../../core/index.ts';
import type { AccountId } from '../../../core/index.ts';
import { z } from 'zod';
import { queryNumber, text } from '../fields.ts';
import { header } from '../messages.ts';
import type { HttpRequest } from '../messages.ts';
import { coreName } from '../wire-names.ts';
import type { CoreName } from '../wire-names.ts';

const MAX_ID = 64;
const MAX_CODE = 16;
const VERSION = /^(?:"([1-9]\d{0,15})"|([1-9]\d{0,15}))$/;

/** A password; every character counts, including control characters. */
export const password = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .max(MAX_PASSWORD, { error: `must have at most ${MAX_PASSWORD} characters` })
  .meta({ format: 'password' });

/** A one-time code of the second factor. */
export const factorCode = (description: string) => text(MAX_CODE, description);

/** The id of a record. The brand names the kind of record; the use case checks that it exists. */
export const recordId = <Id extends string>(what: string) => text(MAX_ID, what) as z.ZodType as z.ZodType<Id, string>;

/** The id of a record, in a path. */
export const idParams = <Id extends string>(what: string) => z.object({ id: recordId<Id>(what) });

/** The account that a new record is created for. */
export const ownerField = recordId<AccountId>('ID of the account; defaults to your own').optional();

/** The query of a record that each account has once; an admin may name any account. */
export const accountQuery = z.object({ account: ownerField });

/** The filter that limits a list to one account. */
export const accountFilter = {
  account: recordId<AccountId>('Only this account; admins see all accounts by default').optional(),
};

const MAX_CURSOR = 128;

/** Selects a part of a list that is paged by cursors. */
export const cursorFields = {
  limit: queryNumber(20, 100, 'Maximum number of records on a page'),
  cursor: text(MAX_CURSOR, '`next_cursor` of the previous page').optional(),
};

export function word<const T extends readonly [string, ...string[]]>(words: T, description: string) {
  return z
    .enum(words, { error: ({ input }) => (input === undefined ? 'is required' : `must be one of ${words.join(', ')}`) })
    .meta({ description });
}

/** A list of some of the given words. */
export function words<const T extends readonly [string, ...string[]]>(all: T, description: string) {
  return z
    .array(word(all, description), { error: 'must be a list' })
    .min(1, { error: 'must not be empty' })
    .max(all.length, { error: `must have at most ${all.length} entries` })
    .readonly()
    .meta({ description });
}

/** A time in a body, in RFC 3339 and UTC. */
export function instantField(description: string) {
  const message = 'must be a time in UTC, such as 2027-01-31T00:00:00Z';
  return z
    .string({ error: message })
    .transform((value, context): number => {
      const at = parseInstant(value);
      if (at !== null) return at;
      context.issues.push({ code: 'custom', input: value, message });
      return z.NEVER;
    })
    .meta({ format: 'date-time', description });
}

export const yesNo = (description: string) => z.boolean({ error: 'must be true or false' }).meta({ description });

/** A number that a double holds exactly: not for money. */
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

/** Zod would read the object that holds a number as an object without fields. */
const withoutNumbers = (value: unknown): unknown => (isLosslessNumber(value) ? null : value);

/** A nested object of a body, which has no other fields. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(withoutNumbers, z.strictObject(shape, { error: 'must be an object' }));
}

/** Units for each method. */
export const unitsByName = (description: string) =>
  recordOf(plainNumber('Units', true), 'must be an object of methods and units', description);

/** An object with names of the caller's choice. */
export function recordOf<T extends z.ZodType>(value: T, error: string, description: string) {
  return z.preprocess(withoutNumbers, z.record(z.string(), value, { error })).meta({ description });
}

export function texts(max: number, itemMax: number, description: string) {
  return z
    .array(text(itemMax, description), {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
    })
    .max(max, { error: `must have at most ${max} entries` })
    .meta({ description });
}

type Input<Body> = { [Name in keyof Body as CoreName<Name & string>]: Exclude<Body[Name], undefined> };

/**
 * Renames the fields of a body or a query to the names of the use case's input. Absent fields are left out, so that they
 * stay unchanged.
 */
export function inputOf<Body extends object>(body: Body): Input<Body> {
  const present = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [coreName(name), value as unknown])) as Input<Body>;
}

/** Reads the filter of a list whose use case names the account `userId`. */
export function filterOf<Filter extends { readonly account?: AccountId | undefined }>({
  account: userId,
  ...filter
}: Filter) {
  return { ...inputOf(filter), userId };
}

/**
 * The version in `If-Match` (RFC 9110, section 13.1.1): `"3"` or `3`.
 *
 * @throws TillgateError `PRECONDITION_REQUIRED` without one, `VERSION_MISMATCH` for an invalid one
 */
export function expectedVersion({ headers }: HttpRequest): number {
  const value = header(headers, 'if-match');
  if (value === null) throw new TillgateError('PRECONDITION_REQUIRED', 'Send the version of the record in If-Match.');
  const match = VERSION.exec(value.trim());
  if (match === null)
    throw new TillgateError('VERSION_MISMATCH', 'If-Match must be the version of the record: "3" or 3.');
  return Number(match[1] ?? match[2]);
}
