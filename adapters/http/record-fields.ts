import { ORDER_STATUSES } from '../../core/index.ts';
import type { Page } from '../../core/index.ts';
import { z } from 'zod';
import { exactNumber } from './exact-json.ts';

/** A decimal that is text inside the till and a JSON number of the same digits in a reply. */
export const decimalNumber = (description: string) => exactNumber({ type: 'number', description });
export const decimal = (description: string) => z.string().meta({ pattern: '^(\\d+(\\.\\d+)?)?$', description });
export const timestamp = (description: string) =>
  z.string().meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$', description: `${description}, UTC` });
export const id = (description: string) => z.string().meta({ pattern: '^\\d{18,19}$', description });
export const whole = (description: string) => z.number().meta({ type: 'integer', minimum: 0, description });
export const wholeOrNull = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ type: ['integer', 'null'], minimum: 0, description });
export const orderStatus = z.enum(ORDER_STATUSES).meta({ description: 'Order status' });

/** The numbers that describe a page of a list. */
export const pageNumbers = {
  page: whole('Number of this page, starting at 1'),
  size: whole('Number of entries on a page'),
  total: whole('Number of entries on all pages'),
  max_page: whole('Number of the last page; 0 for an empty list'),
};

/** The schema of a page of a list: four numbers and the items, newest first. */
export function pageSchema<T extends z.ZodType>(name: string, item: T) {
  return z.object({ ...pageNumbers, data: z.array(item).readonly() }).meta({ id: name });
}

/** Writes a page of a list for {@link pageSchema}. */
export function presentPage<T, R>({ page, size, total, maxPage, items }: Page<T>, present: (item: T) => R) {
  return { page, size, total, max_page: maxPage, data: items.map(present) };
}
