import { HeadPattern } from './http1/head-pattern.ts';
import { MAX_PLAIN_HEAD, readPlainHead } from './http1/plain-request.ts';
import type { PlainRequest } from './http1/plain-request.ts';

/** Heads up to this size, in bytes, are remembered. */
const MAX_KEPT_HEAD = 1024;
/** This many bytes are first read as text: a head, and a short body. */
const TEXT_BYTES = 2 * 1024;

/** Reads the requests of one client: the common part of its heads is compared instead of parsed again. */
export class PlainRequestReader {
  #pattern: HeadPattern | null = null;
  #text = '';

  /**
   * The pattern of the former heads, if the head at the start of these bytes matches it.
   *
   * @param bytes - begin with the request's first byte
   */
  match(bytes: Buffer): HeadPattern | null {
    this.#text = bytes.toString('latin1', 0, TEXT_BYTES);
    return this.#pattern?.matches(this.#text) === true ? this.#pattern : null;
  }

  /** The first bytes that were passed last, one character for each. */
  get text(): string {
    return this.#text;
  }

  /**
   * The request at the start of the bytes, which {@link match} has just read and found different.
   *
   * @returns `null` for a request that is not plain, or whose head is incomplete
   */
  parse(bytes: Buffer): PlainRequest | null {
    const head = readPlainHead(this.#text);
    if (head !== null) {
      if (head.request.length <= MAX_KEPT_HEAD) this.#pattern = new HeadPattern(this.#text, head, this.#pattern);
      return head.request;
    }
    if (bytes.length <= TEXT_BYTES) return null;
    return readPlainHead(bytes.toString('latin1', 0, MAX_PLAIN_HEAD))?.request ?? null;
  }
}
