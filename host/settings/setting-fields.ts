import { z } from 'zod';
import type { CountSetting } from '../../core/index.ts';

/** Settings whose values a support bundle shows; for all others it shows only whether they are set. */
const SHOWN = z.registry<{ readonly shown: true }>();

/**
 * Marks a setting whose valid values can hold neither secrets nor customer data. It marks a copy of the schema, because
 * the same schema may be used where values must not be shown.
 */
export function shown<Schema extends z.ZodType>(schema: Schema): Schema {
  const copy = schema.clone();
  SHOWN.add(copy, { shown: true });
  return copy;
}

/** Whether {@link shown} marked the schema. */
export const isShown = (schema: z.core.$ZodType): boolean => SHOWN.has(schema);

/** A whole number in bounds. */
export const whole = (unit: string, min: number, max: number) => {
  const error = `write a whole number of ${unit} from ${min} to ${max}`;
  return shown(z.int({ error }).min(min, { error }).max(max, { error }));
};

type Counts<Settings> = { readonly [Name in keyof Settings]: z.ZodDefault<z.ZodInt> };

/** The fields of settings that are whole numbers. */
export function counts<const Settings extends Readonly<Record<string, CountSetting>>>(
  settings: Settings,
): Counts<Settings> {
  const fields = Object.entries(settings).map(([name, { unit, min, max, default: fallback }]) => [
    name,
    whole(unit, min, max).default(fallback),
  ]);
  return Object.fromEntries(fields) as Counts<Settings>;
}

export const text = (what: string) => z.string({ error: `write ${what}` }).min(1, { error: `write ${what}` });

export const yesOrNo = shown(z.boolean({ error: 'write true or false' }));

/** The error of a section that is not an object. */
export const section = { error: 'write an object in braces' };

const DECIMAL = /^\d{1,30}(\.\d{1,18})?$/;

/** An amount in US dollars. */
export const usd = z
  .string({ error: 'write a decimal in quotation marks, such as "1000000"' })
  .regex(DECIMAL, { error: 'write a plain decimal in quotation marks, such as "1000000" or "0.5"' });

/** Amounts by currency. */
export const amounts = z
  .record(
    z.string(),
    z
      .string({ error: 'write a decimal in quotation marks, such as "0.5"' })
      .regex(DECIMAL, { error: 'write a plain decimal in quotation marks, such as "0.5"' }),
    { error: 'write amounts by currency, such as {"ETH": "0.5"}' },
  )
  .transform((byCurrency): ReadonlyMap<string, string> => new Map(Object.entries(byCurrency)));
