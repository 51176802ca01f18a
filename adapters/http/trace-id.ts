import { randomBytes } from 'node:crypto';

const ID_DIGITS = 32;
/** Random bytes are drawn for many ids at once: one call for each id would take longer than the rest of its work. */
const AT_ONCE = 256;
let drawn = '';
let used = 0;

/** A fresh trace id: 32 hexadecimal digits that cannot be guessed. */
export function randomTraceId(): string {
  if (used === drawn.length) {
    drawn = randomBytes((AT_ONCE * ID_DIGITS) / 2).toString('hex');
    used = 0;
  }
  used += ID_DIGITS;
  return drawn.slice(used - ID_DIGITS, used);
}
