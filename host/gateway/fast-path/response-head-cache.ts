import type { ResponseHead } from './http1/response-head.ts';

/** Longer heads are not kept, in bytes. */
const MAX_BYTES = 2 * 1024;

/**
 * The last head of an upstream's responses. Many responses of the same second begin with exactly the same bytes, which
 * are then parsed once.
 */
export class ResponseHeadCache {
  #bytes: Buffer | null = null;
  #head: ResponseHead | null = null;
  /** Where a body ends depends on whether the request was a HEAD. */
  #bodiless = false;

  /** The cached head, if the bytes from `from` on begin with it. */
  find(bytes: Buffer, from: number, method: string): ResponseHead | null {
    const cached = this.#bytes;
    if (cached === null || bytes.length - from < cached.length || (method === 'HEAD') !== this.#bodiless) return null;
    return cached.compare(bytes, from, from + cached.length) === 0 ? this.#head : null;
  }

  /** @param bytes - begin with the head */
  keep(bytes: Buffer, head: ResponseHead, method: string): void {
    if (head.length > MAX_BYTES) return;
    this.#bytes = Buffer.from(bytes.subarray(0, head.length));
    this.#head = head;
    this.#bodiless = method === 'HEAD';
  }
}
