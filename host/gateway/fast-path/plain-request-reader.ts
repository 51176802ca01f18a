import { MAX_PLAIN_HEAD, readPlainRequest } from './http1/plain-request.ts';
import type { PlainRequest } from './http1/plain-request.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Heads up to this size, in bytes, and with so many lines are kept: the lines of one may come from as many heads. */
const MAX_KEPT_HEAD = 1024;
const MAX_KEPT_LINES = 24;

/** Reads the requests of one client: most lines of a head are those of the one before it, which are then read once. */
export class PlainRequestReader {
  #former: PlainRequest | null = null;

  /** @param bytes - from the request's first one on @returns `null` for a request that is not plain, or whose head is not complete */
  read(bytes: Buffer): PlainRequest | null {
    const end = bytes.indexOf(HEAD_END) + HEAD_END.length;
    if (end < HEAD_END.length || end > MAX_PLAIN_HEAD) return null;
    const request = readPlainRequest(bytes.toString('latin1', 0, end), this.#former);
    if (request !== null && end <= MAX_KEPT_HEAD && request.lines.length <= MAX_KEPT_LINES) this.#former = request;
    return request;
  }
}
