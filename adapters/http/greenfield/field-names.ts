import { isLosslessNumber } from 'lossless-json';
import { z } from 'zod';

/**
 * A body whose members have the names of its schema, as clients write them in any case: `Amount`, `amount`. What the
 * schema does not describe, such as the members of `metadata`, stays as it is.
 */
export function withSchemaNames(value: unknown, schema: z.ZodType): unknown {
  const shape = shapeOf(schema);
  if (shape === null || typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value))
    return value;
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]));
  const sent = Object.entries(value as Readonly<Record<string, unknown>>);
  const exact = new Set(sent.map(([name]) => name).filter((name) => Object.hasOwn(shape, name)));
  return Object.fromEntries(
    sent.map(([name, member]) => {
      const known = names.get(name.toLowerCase());
      // A member with the very name of the schema counts before one that is written otherwise.
      if (known === undefined || (known !== name && exact.has(known))) return [name, member];
      return [known, withSchemaNames(member, shape[known] as z.ZodType)];
    }),
  );
}

/** The fields of an object's schema, also where it may be null or absent; `null` for any other. */
function shapeOf(schema: z.ZodType): z.ZodRawShape | null {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return shapeOf(schema.unwrap() as z.ZodType);
  return null;
}
