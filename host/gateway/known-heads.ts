import type { ReplyHead } from './http1/reply-head.ts';

/** Heads up to this size are kept. */
const MAX_BYTES = 2 * 1024;

/**
 * The last head of an upstream's replies. Many replies of one second begin with the very same bytes: what these say
 * need be read once.
 */
export class KnownHeads {
  #bytes: Buffer | null = null;
  #head: ReplyHead | null = null;
  /** Where a body ends depends on whether the request was a HEAD. */
  #bodiless = false;

  /** What the bytes from there on begin with, if it is the head that was kept. */
  find(bytes: Buffer, from: number, method: string): ReplyHead | null {
    const known = this.#bytes;
    if (known === null || bytes.length - from < known.length || (method === 'HEAD') !== this.#bodiless) return null;
    return known.compare(bytes, from, from + known.length) === 0 ? this.#head : null;
  }

  /** @param bytes - begin with the head */
  keep(bytes: Buffer, head: ReplyHead, method: string): void {
    if (head.length > MAX_BYTES) return;
    this.#bytes = Buffer.from(bytes.subarray(0, head.length));
    this.#head = head;
    this.#bodiless = method === 'HEAD';
  }
}
