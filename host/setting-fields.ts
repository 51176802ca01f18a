import { z } from 'zod';

/** Settings whose values a support bundle shows; of all others it says only whether they are set. */
const SHOWN = z.registry<{ readonly shown: true }>();

/**
 * A setting whose value holds no secret and nothing of customers, whatever is written there that the schema takes. A copy is
 * marked: the same form may be used where it is not to be shown.
 */
export function shown<Schema extends z.ZodType>(schema: Schema): Schema {
  const copy = schema.clone();
  SHOWN.add(copy, { shown: true });
  return copy;
}

/** Whether {@link shown} has marked it. */
export const isShown = (schema: z.core.$ZodType): boolean => SHOWN.has(schema);

/** A whole number in bounds. */
export const whole = (unit: string, min: number, max: number) => {
  const error = `write a whole number of ${unit} from ${min} to ${max}`;
  return shown(z.int({ error }).min(min, { error }).max(max, { error }));
};

/** A text that is not empty. */
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
