import { z } from 'zod';
import { TillgateError } from '../../core/index.ts';
import type { SigningIntent } from '../../core/index.ts';

/** An amount in the smallest unit, as digits; at most what 256 bits hold. */
export const unitsField = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,77})$/)
  .transform(BigInt)
  .refine((units) => units < 2n ** 256n);

/** The path of a key below a hardened account: `m/44'/60'/0'/0/0`. */
export const pathField = z.string().regex(/^m(?:\/(?:0|[1-9]\d{0,9})'){3}(?:\/(?:0|[1-9]\d{0,9})){2}$/);

/**
 * Reads an intent by its family's schema.
 *
 * @throws TillgateError `SIGNING_REFUSED` naming the fields that are missing, unknown or of another form
 */
export function readIntent<Schema extends z.ZodType>(schema: Schema, intent: SigningIntent): z.output<Schema> {
  const parsed = schema.safeParse(intent);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.flatMap(fieldsOf);
  throw new TillgateError('SIGNING_REFUSED', `The intent is not valid: ${fields.join(', ')}.`, { reason: 'intent' });
}

function fieldsOf(issue: z.core.$ZodIssue): readonly string[] {
  const at = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return [at === '' ? 'the whole of it' : at];
  return issue.keys.map((key) => `${[...issue.path.map(String), key].join('.')} is unknown`);
}
