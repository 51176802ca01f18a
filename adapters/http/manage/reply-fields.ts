import { formatInstant } from '../../../core/index.ts';
import type { Page } from '../../../core/index.ts';
import { z } from 'zod';

/** RFC 3339 with `Z`. */
export const instant = (description: string) =>
  z
    .string()
    .meta({ format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$', description });

export const id = (description: string) => z.string().meta({ pattern: '^\\d{18,19}$', description });

/** A count: no money. */
export const whole = (description: string) => z.number().meta({ type: 'integer', minimum: 0, description });

/** An {@link instant} that may be absent. */
export const time = (at: number | null): string | null => (at === null ? null : formatInstant(at));

/** One page of a list. */
export function pageSchema<T extends z.ZodType>(name: string, item: T) {
  return z
    .object({
      page: whole('This page, from 1'),
      size: whole('Entries of a page'),
      total: whole('Entries of all pages'),
      max_page: whole('The last page; 0 for an empty list'),
      items: z.array(item).readonly(),
    })
    .meta({ id: name });
}

export function pageRecord<T, R>({ page, size, total, maxPage, items }: Page<T>, record: (item: T) => R) {
  return { page, size, total, max_page: maxPage, items: items.map(record) };
}
