import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Drawn for many ids at once: a call for each would take longer than all else that an id costs. */
const drawn = Buffer.alloc(256 * ID_BYTES);
let used = drawn.length;

/** A fresh trace id: 32 hexadecimal digits that cannot be guessed. */
export function randomTraceId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += ID_BYTES;
  return drawn.toString('hex', used - ID_BYTES, used);
}
