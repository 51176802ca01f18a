import { formatInstant } from '../../../core/index.ts';
import type { CursorPage } from '../../../core/index.ts';
import { z } from 'zod';
import { SIGNED_DECIMAL } from '../csv.ts';

export { id, whole, wholeOrNull } from '../record-fields.ts';

/** A plain decimal. */
export const amount = (description: string) => z.string().meta({ pattern: '^\\d+(\\.\\d+)?$', description });

/** A plain decimal that may be negative. */
export const signedAmount = (description: string) => z.string().meta({ pattern: SIGNED_DECIMAL, description });

/** RFC 3339 with `Z`. */
export const instant = (description: string) =>
  z
    .string()
    .meta({ format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$', description });

/** An {@link instant} that may be absent. */
export const time = (at: number | null): string | null => (at === null ? null : formatInstant(at));

/** A page of a list. */
export function cursorPage<T extends z.ZodType>(name: string, item: T) {
  return z
    .object({
      items: z.array(item).readonly(),
      next_cursor: z
        .string()
        .nullable()
        .meta({ description: 'Value of `cursor` for the next page; null on the last page' }),
    })
    .meta({ id: name });
}

export function pageRecord<T, R>({ items, nextCursor }: CursorPage<T>, record: (item: T) => R) {
  return { items: items.map(record), next_cursor: nextCursor };
}
