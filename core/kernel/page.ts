import { invalidField } from './errors.ts';

/** The largest `size` of a list. */
export const PAGE_MAX = 100;

/** The requested page of a list: `page` from 1, `size` from 1 to the list's maximum. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

/** One page of a list, newest first; `maxPage` is 0 for an empty list. */
export interface Page<T> {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly maxPage: number;
  readonly items: readonly T[];
}

/** Builds a page from its items and the exact total. */
export function pageOf<T>({ page, size }: PageRequest, total: number, items: readonly T[]): Page<T> {
  return { page, size, total, maxPage: Math.ceil(total / size), items };
}

/** @throws TillgateError `INVALID_FIELDS` for a page request outside 1…maximum */
export function checkPage({ page, size }: PageRequest, maximum: number): void {
  if (!Number.isSafeInteger(page) || page < 1) throw invalidField('page', 'must be a whole number from 1 up');
  if (!Number.isSafeInteger(size) || size < 1 || size > maximum) {
    throw invalidField('size', `must be a whole number from 1 to ${maximum}`);
  }
}
