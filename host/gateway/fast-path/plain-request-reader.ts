import { MAX_PLAIN_HEAD, readPlainRequest } from './http1/plain-request.ts';
import type { PlainRequest } from './http1/plain-request.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Longer heads are not cached. */
const MAX_CACHED_HEAD = 1024;

/** Reads the requests of one client: most repeat the same head, which is then parsed once. */
export class PlainRequestReader {
  #cached: { readonly bytes: Buffer; readonly request: PlainRequest } | null = null;

  /** @param bytes - from the request's first one on @returns `null` for a request that is not plain, or whose head is not complete */
  read(bytes: Buffer): PlainRequest | null {
    const cached = this.#cached;
    const size = cached?.bytes.length ?? 0;
    if (cached !== null && bytes.length >= size && cached.bytes.compare(bytes, 0, size) === 0) return cached.request;
    const end = bytes.indexOf(HEAD_END) + HEAD_END.length;
    if (end < HEAD_END.length || end > MAX_PLAIN_HEAD) return null;
    const request = readPlainRequest(bytes.toString('latin1', 0, end));
    if (request !== null && end <= MAX_CACHED_HEAD)
      this.#cached = { bytes: Buffer.from(bytes.subarray(0, end)), request };
    return request;
  }
}
