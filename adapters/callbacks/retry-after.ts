import type { Millis } from '../../core/index.ts';

const SECONDS = /^\d{1,9}$/;
/** The only date format that a sender may use (RFC 9110, section 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses a `Retry-After` header, seconds or a date, to whole seconds from `now`; `null` when it is invalid. */
export function parseRetryAfter(header: string | undefined, now: Millis): number | null {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text);
  if (!HTTP_DATE.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
