/** A month in UTC, excluding its end. */
export interface Month {
  readonly from: string;
  readonly to: string;
}

/** The month of a moment and those before it, the newest first. @param now - epoch milliseconds */
export function monthsUntil(now: number, count: number): readonly Month[] {
  const today = new Date(now);
  const first = (back: number): string =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back)).toISOString();
  return Array.from({ length: count }, (_, back) => ({ from: first(back), to: first(back - 1) }));
}
