import { randomBytes } from 'node:crypto';
import type { Random } from '../../core/index.ts';

const STOCK_BYTES = 4096;
/** Longer requests are rare and bypass the buffer. */
const MAX_FROM_STOCK = 64;

/** {@link Random} from the operating system's generator, buffered because each call costs microseconds. */
export class CryptoRandom implements Random {
  #stock = new Uint8Array(0);
  #used = 0;

  bytes(length: number): Uint8Array {
    if (length > MAX_FROM_STOCK) return randomBytes(length);
    if (this.#used + length > this.#stock.length) {
      this.#stock = new Uint8Array(randomBytes(STOCK_BYTES));
      this.#used = 0;
    }
    const bytes = this.#stock.slice(this.#used, this.#used + length);
    // Bytes that may become a secret must not stay in the buffer.
    this.#stock.fill(0, this.#used, this.#used + length);
    this.#used += length;
    return bytes;
  }
}
