import { isLosslessNumber } from 'lossless-json';
import { readDecimal } from '../../../core/index.ts';
import type { Decimal } from '../../../core/index.ts';
import { z } from 'zod';
import { convertedField } from '../fields.ts';

/** Plugins send a member for everything, with null where the shop says nothing. */
const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

const nullable = (type: string): { readonly type: readonly string[] } => ({ type: [type, 'null'] });

/** Text that may be absent or null; an empty text counts as absent. */
export function maybeText(max: number, description: string) {
  return convertedField<string | null, string | null>({
    convert: (value) => {
      if (isAbsent(value) || value === '') return { value: null };
      return typeof value === 'string' && value.length <= max ? { value } : null;
    },
    what: `a string of at most ${max} characters`,
    documented: { ...nullable('string'), maxLength: max, description },
  });
}

/** The digits of a JSON number or of a decimal in a string. */
function digitsOf(value: unknown): string | null {
  if (isLosslessNumber(value)) return value.value;
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? value : null;
}

/** A decimal that is not negative, or `null` when it is absent. */
export function maybeDecimal(description: string) {
  return convertedField<number | string | null, Decimal | null>({
    convert: (value) => {
      if (isAbsent(value)) return { value: null };
      const digits = digitsOf(value);
      const decimal = digits === null ? null : readDecimal(digits);
      return decimal === null ? null : { value: decimal };
    },
    what: 'a number that is not negative, such as 12.50',
    documented: { type: ['number', 'string', 'null'], minimum: 0, description },
  });
}

/** A whole number from `min` to `max`, or `null` when it is absent. */
export function maybeCount(min: number, max: number, description: string) {
  return convertedField<number | string | null, number | null>({
    convert: (value) => {
      if (isAbsent(value)) return { value: null };
      const digits = digitsOf(value) ?? '';
      const count = /^\d{1,15}(?:\.0+)?$/.test(digits) ? Number(digits) : Number.NaN;
      return count >= min && count <= max ? { value: count } : null;
    },
    what: `a whole number from ${min} to ${max}`,
    documented: { type: ['integer', 'string', 'null'], minimum: min, maximum: max, description },
  });
}

/** True or false, or `null` when it is absent. */
export function maybeFlag(description: string) {
  return convertedField<boolean | null, boolean | null>({
    convert: (value) => (isAbsent(value) ? { value: null } : typeof value === 'boolean' ? { value } : null),
    what: 'true or false',
    documented: { ...nullable('boolean'), description },
  });
}

/** One of some words, in any case, or `null` when it is absent. */
export function maybeWord<const T extends string>(words: readonly T[], description: string) {
  return convertedField<T | null, T | null>({
    convert: (value) => {
      if (isAbsent(value)) return { value: null };
      const word = words.find((each) => typeof value === 'string' && each.toLowerCase() === value.toLowerCase());
      return word === undefined ? null : { value: word };
    },
    what: `one of ${words.join(', ')}`,
    documented: { ...nullable('string'), enum: [...words, null], description },
  });
}

/** A list of texts, or `null` when it is absent. */
export function maybeTexts(most: number, max: number, description: string) {
  return convertedField<readonly string[] | null, readonly string[] | null>({
    convert: (value) => {
      if (isAbsent(value)) return { value: null };
      const isList = Array.isArray(value) && value.length <= most;
      const texts = isList && value.every((each) => typeof each === 'string' && each.length <= max);
      return texts ? { value: value as string[] } : null;
    },
    what: `a list of at most ${most} strings of at most ${max} characters`,
    documented: { ...nullable('array'), items: { type: 'string', maxLength: max }, maxItems: most, description },
  });
}

/** An object of the caller's own, with its numbers as they were sent; `null` when it is absent. */
export function maybeObject(description: string) {
  return convertedField<object | null, object | null>({
    convert: (value) => {
      if (isAbsent(value)) return { value: null };
      // PHP writes an array without members as a list.
      if (Array.isArray(value)) return value.length === 0 ? { value: {} } : null;
      return typeof value === 'object' && !isLosslessNumber(value) ? { value } : null;
    },
    what: 'a JSON object',
    documented: { ...nullable('object'), additionalProperties: true, description },
  });
}

/** The values of a name in a query, which may be repeated, also with brackets. */
export function queryTexts(most: number, max: number, description: string) {
  return convertedField<string | readonly string[], readonly string[]>({
    convert: (value) => {
      const values = value === undefined ? [] : Array.isArray(value) ? (value as string[]) : [value as string];
      return values.length <= most && values.every((each) => each.length <= max) ? { value: values } : null;
    },
    what: `at most ${most} values of at most ${max} characters`,
    documented: { type: 'array', items: { type: 'string', maxLength: max }, maxItems: most, description },
  });
}

/** A whole number in a query. */
export function queryCount(fallback: number | null, max: number, description: string) {
  return convertedField<number, number | null>({
    convert: (value) => {
      if (value === undefined || value === '') return { value: fallback };
      const count = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
      return count <= max ? { value: count } : null;
    },
    what: `a whole number of at most ${max}`,
    documented: { type: 'integer', minimum: 0, maximum: max, description },
  });
}

/** A flag in a query; false by default. */
export function queryFlag(description: string) {
  return convertedField<string, boolean>({
    convert: (value) => {
      if (value === undefined || value === '') return { value: false };
      const text = typeof value === 'string' ? value.toLowerCase() : '';
      return text === 'true' || text === 'false' ? { value: text === 'true' } : null;
    },
    what: 'true or false',
    documented: { type: 'string', enum: ['true', 'false'], description },
  });
}

/** A time of a reply, in seconds. */
export const seconds = (description: string) => z.number().meta({ type: 'integer', description });

/** Epoch milliseconds as seconds, rounded down. */
export const inSeconds = (ms: number): number => Math.floor(ms / 1000);

/** An amount of a reply. */
export const decimal = (description: string) => z.string().meta({ description, pattern: '^-?\\d+(\\.\\d+)?$' });
