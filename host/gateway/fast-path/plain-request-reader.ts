import { HeadPattern } from './http1/head-pattern.ts';
import { MAX_PLAIN_HEAD, readPlainHead } from './http1/plain-request.ts';
import type { PlainRequest } from './http1/plain-request.ts';

/** Heads up to this size, in bytes, are remembered. */
const MAX_KEPT_HEAD = 1024;

/** Reads the requests of one client: the common part of its heads is compared instead of parsed again. */
export class PlainRequestReader {
  #pattern: HeadPattern | null = null;

  /**
   * @param bytes - begin with the request's first byte
   *
   * @returns `null` for a request that is not plain, or whose head is incomplete
   */
  read(bytes: Buffer): PlainRequest | null {
    const text = bytes.toString('latin1', 0, MAX_KEPT_HEAD);
    const alike = this.#pattern?.read(text) ?? null;
    if (alike !== null) return alike;
    const head = readPlainHead(text);
    if (head !== null) {
      this.#pattern = new HeadPattern(text, head, this.#pattern);
      return head.request;
    }
    if (bytes.length <= MAX_KEPT_HEAD) return null;
    return readPlainHead(bytes.toString('latin1', 0, MAX_PLAIN_HEAD))?.request ?? null;
  }
}
