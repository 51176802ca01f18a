/** Epoch milliseconds, always from a `Clock`. */
export type Millis = number;

const SIGNED_DATE = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})Z$/;

/** `YYYY-MM-DDTHH:MM:SS`, UTC without a designator: the payment API's form (decisions, section 2). */
export function formatTimestamp(at: Millis): string {
  return new Date(at).toISOString().slice(0, 19);
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the form of the `Date` header of signed requests and callbacks. */
export function formatSignedDate(at: Millis): string {
  return `${formatTimestamp(at)}Z`;
}

/** RFC 3339 with milliseconds and `Z`: the form of the management records. */
export function formatInstant(at: Millis): string {
  return new Date(at).toISOString();
}

/** Reads exactly `YYYY-MM-DDTHH:MM:SSZ`; `null` for any other form and for days that do not exist. */
export function parseSignedDate(text: string): Millis | null {
  const match = SIGNED_DATE.exec(text);
  if (match === null) return null;
  const at = Date.UTC(
    Number(match[1]),
    Number(match[2]) - 1,
    Number(match[3]),
    Number(match[4]),
    Number(match[5]),
    Number(match[6]),
  );
  return formatSignedDate(at) === text ? at : null;
}
