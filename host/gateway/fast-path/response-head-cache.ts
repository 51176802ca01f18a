import { readResponseHead } from './http1/response-head.ts';
import type { ResponseHead } from './http1/response-head.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Longer heads are not read here, in bytes. */
const MAX_BYTES = 2 * 1024;
const LENGTH_LINE = /\r\ncontent-length:[\t ]*(?=\d{1,15}\r\n)/i;
const LENGTH = /^\d{1,15}$/;

/** A head, and its text around the value of `Content-Length`. */
interface Known {
  readonly head: ResponseHead;
  readonly before: string;
  readonly after: string;
  /** Where a body ends depends on whether the request was a HEAD. */
  readonly bodiless: boolean;
}

/** Reads heads of an upstream's responses. Many of the same second differ in the body's length alone, and are then parsed once. */
export class ResponseHeadCache {
  #known: Known | null = null;

  /** The head that the bytes from `from` on begin with; `null` for one that is not whole, too long, malformed or of an interim response. */
  read(bytes: Buffer, from: number, method: string): ResponseHead | null {
    const end = bytes.indexOf(HEAD_END, from) + HEAD_END.length;
    if (end < HEAD_END.length || end - from > MAX_BYTES) return null;
    const text = bytes.toString('latin1', from, end);
    const bodiless = method === 'HEAD';
    const known = this.#known;
    const again = known !== null && known.bodiless === bodiless ? sameButLength(known, text) : null;
    if (again !== null) return again;
    const head = readResponseHead(text, method);
    if (typeof head === 'number' || head.status < 200) return null;
    const valueAt = valueOfLength(head, text);
    const after = text.slice(valueAt + (head.declaredLength?.length ?? 0));
    this.#known = { head, before: text.slice(0, valueAt), after, bodiless };
    return head;
  }
}

/** Where the value of `Content-Length` stands; at the end of a head without one. */
function valueOfLength({ declaredLength }: ResponseHead, text: string): number {
  const line = declaredLength === null ? null : LENGTH_LINE.exec(text);
  return line === null ? text.length : line.index + line[0].length;
}

/** The head of this text, where it is the known one but for the value of `Content-Length`. */
function sameButLength({ head, before, after }: Known, text: string): ResponseHead | null {
  const lengthEnd = text.length - after.length;
  if (text.slice(0, before.length) !== before || text.slice(lengthEnd) !== after) return null;
  if (head.declaredLength === null) return lengthEnd === before.length ? head : null;
  const declaredLength = text.slice(before.length, lengthEnd);
  if (declaredLength === head.declaredLength) return head;
  if (!LENGTH.test(declaredLength)) return null;
  const { status, fields, bodyEnd, keepAlive, keepAliveSeconds } = head;
  const contentLength = bodyEnd === 'length' ? Number(declaredLength) : 0;
  return { status, fields, declaredLength, bodyEnd, contentLength, keepAlive, keepAliveSeconds, length: text.length };
}
