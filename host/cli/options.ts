import { invalidField } from '../../core/index.ts';
import type { Millis } from '../../core/index.ts';

/** RFC 3339 with an offset, or a day, which begins in UTC. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** An option that is the height of a block; `undefined` when it is absent. @throws TillgateError `INVALID_FIELDS` */
export function heightOption(value: string | boolean | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^\d{1,12}$/.test(value))
    throw invalidField(name, 'must be the height of a block, a whole number');
  return Number(value);
}

/** An option that is a time; `null` when it is absent. @throws TillgateError `INVALID_FIELDS` */
export function instantOption(value: string | boolean | undefined, name: string): Millis | null {
  if (value === undefined) return null;
  const at = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(at)) throw invalidField(name, 'must be a time like 2026-01-31T12:00:00Z, or a day like 2026-01-31');
  return at;
}
