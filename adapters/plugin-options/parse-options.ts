import type { z } from 'zod';
import { TillgateError } from '../../core/index.ts';
import type { FieldError } from '../../core/index.ts';

/**
 * Reads a plugin's options.
 *
 * @throws TillgateError `CONFIG_INVALID` that names every problem, unknown keys too, and repeats no value: one may be a key
 */
export function parseOptions<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input ?? {});
  if (!parsed.success) throw invalidOptions(parsed.error.issues.flatMap(toFieldErrors));
  return parsed.data;
}

/** The refusal of options, every problem in its message and in its details. */
export function invalidOptions(fields: readonly FieldError[]): TillgateError {
  const lines = fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new TillgateError('CONFIG_INVALID', `The options are not valid: ${lines.join('; ')}.`, { fields });
}

function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const at = (path: readonly PropertyKey[]): string => path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: at([...issue.path, key]), message: 'is not a known option' }));
  }
  // An invalid record key: the reason is one level deeper.
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [{ path: at(issue.path), message }];
}
