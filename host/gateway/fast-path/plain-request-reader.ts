import { MAX_PLAIN_HEAD, readPlainRequest } from './http1/plain-request.ts';
import type { PlainRequest } from './http1/plain-request.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Longer heads are not cached. */
const MAX_CACHED_HEAD = 1024;

/** Reads the requests of one client: some repeat the same head, which is then parsed once. */
export class PlainRequestReader {
  #cached: { readonly text: string; readonly request: PlainRequest } | null = null;

  /** @param bytes - from the request's first one on @returns `null` for a request that is not plain, or whose head is not complete */
  read(bytes: Buffer): PlainRequest | null {
    const end = bytes.indexOf(HEAD_END) + HEAD_END.length;
    if (end < HEAD_END.length || end > MAX_PLAIN_HEAD) return null;
    const text = bytes.toString('latin1', 0, end);
    if (this.#cached?.text === text) return this.#cached.request;
    const request = readPlainRequest(text);
    if (request !== null && end <= MAX_CACHED_HEAD) this.#cached = { text, request };
    return request;
  }
}
