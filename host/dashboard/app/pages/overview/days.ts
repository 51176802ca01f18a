import { DAY_MS } from '../../../../../core/kernel/time.ts';
import type { OverviewRecord } from '../../records.ts';

/** An overview, and that of as many days before it once it is read. */
export interface Compared {
  readonly overview: OverviewRecord;
  readonly former?: OverviewRecord | undefined;
}

const DATE = 'YYYY-MM-DD'.length;

/** Every day of an overview, including those without data, in the API's format. */
export function daysOf({ from, to }: Pick<OverviewRecord, 'from' | 'to'>): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, DATE));
  return days;
}

/** The name of a day; days of an overview are in UTC. */
export const dayName = (locale: string, day: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));
