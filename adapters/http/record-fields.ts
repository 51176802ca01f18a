import { ORDER_STATUSES } from '../../core/index.ts';
import type { Page } from '../../core/index.ts';
import { z } from 'zod';
import { exactNumber } from './exact-json.ts';

/** A decimal that is text in here and a JSON number of the same digits on the wire. */
export const decimalNumber = (description: string) => exactNumber({ type: 'number', description });
export const decimal = (description: string) => z.string().meta({ pattern: '^(\\d+(\\.\\d+)?)?$', description });
export const timestamp = (description: string) =>
  z.string().meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$', description: `${description}, UTC` });
export const id = (description: string) => z.string().meta({ pattern: '^\\d{18,19}$', description });
export const whole = (description: string) => z.number().meta({ type: 'integer', minimum: 0, description });
export const orderStatus = z.enum(ORDER_STATUSES).meta({ description: 'Order status' });

/** The numbers of a page of a list. */
export const pageNumbers = {
  page: whole('This page, from 1'),
  size: whole('Entries of a page'),
  total: whole('Entries of all pages'),
  max_page: whole('The last page; 0 for an empty list'),
};

/** A page of a list: four numbers and the items, newest first. */
export function pageSchema<T extends z.ZodType>(name: string, item: T) {
  return z.object({ ...pageNumbers, data: z.array(item).readonly() }).meta({ id: name });
}

/** A page of a list as {@link pageSchema} describes it. */
export function presentPage<T, R>({ page, size, total, maxPage, items }: Page<T>, present: (item: T) => R) {
  return { page, size, total, max_page: maxPage, data: items.map(present) };
}
