import { invalidField } from '../../core/index.ts';

/** An option that is the height of a block; `undefined` when it is absent. @throws TillgateError `INVALID_FIELDS` */
export function heightOption(value: string | boolean | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^\d{1,12}$/.test(value))
    throw invalidField(name, 'must be the height of a block, a whole number');
  return Number(value);
}
