import { formatInstant } from '../../../core/index.ts';
import type { Page } from '../../../core/index.ts';
import { z } from 'zod';
import { SIGNED_DECIMAL } from '../csv.ts';
import { pageNumbers } from '../record-fields.ts';

export { id, whole } from '../record-fields.ts';

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

/** One page of a list. */
export function pageSchema<T extends z.ZodType>(name: string, item: T) {
  return z.object({ ...pageNumbers, items: z.array(item).readonly() }).meta({ id: name });
}

/** A part of a list that is paged by cursors. */
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

export function pageRecord<T, R>({ page, size, total, maxPage, items }: Page<T>, record: (item: T) => R) {
  return { page, size, total, max_page: maxPage, items: items.map(record) };
}
