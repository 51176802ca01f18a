const SHOWN_FIRST = 8;
const SHOWN_LAST = 4;

/** A secret for display in lists: only its first and last characters. */
export function masked(text: string): string {
  return `${text.slice(0, SHOWN_FIRST)}…${text.slice(-SHOWN_LAST)}`;
}
