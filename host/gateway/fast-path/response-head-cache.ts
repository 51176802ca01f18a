import { readResponseHead } from './http1/response-head.ts';
import type { ResponseHead } from './http1/response-head.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Longer heads are not read here, in bytes. */
const MAX_BYTES = 2 * 1024;

/** Reads heads of an upstream's responses. Many of the same second are equal, which are then parsed once. */
export class ResponseHeadCache {
  #text = '';
  #head: ResponseHead | null = null;
  /** Where a body ends depends on whether the request was a HEAD. */
  #bodiless = false;

  /** The head that the bytes from `from` on begin with; `null` for one that is not whole, too long, malformed or of an interim response. */
  read(bytes: Buffer, from: number, method: string): ResponseHead | null {
    const end = bytes.indexOf(HEAD_END, from) + HEAD_END.length;
    if (end < HEAD_END.length || end - from > MAX_BYTES) return null;
    const text = bytes.toString('latin1', from, end);
    const bodiless = method === 'HEAD';
    if (text === this.#text && bodiless === this.#bodiless) return this.#head;
    const head = readResponseHead(text, method);
    if (typeof head === 'number' || head.status < 200) return null;
    this.#text = text;
    this.#head = head;
    this.#bodiless = bodiless;
    return head;
  }
}
