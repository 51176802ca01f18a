import { readResponseHead } from './http1/response-head.ts';
import type { ResponseHead } from './http1/response-head.ts';

/** Longer heads, in bytes, are not cached. */
const MAX_BYTES = 2 * 1024;
const LENGTH_LINE = /\r\ncontent-length:[\t ]*(?=\d{1,15}\r\n)/i;
const LENGTH = /^\d{1,15}$/;

/** A head, and its text around the value of `Content-Length`. */
interface Known {
  readonly head: ResponseHead;
  readonly before: string;
  readonly after: string;
  /** The end of a body depends on whether the request was a HEAD. */
  readonly bodiless: boolean;
}

/** Parses the heads of an upstream's responses; those that differ only in the body's length are parsed once. */
export class ResponseHeadCache {
  #known: Known | null = null;
  /** What was read last. */
  #text = '';

  /** The head at `from`; `null` for one that is incomplete, too long, malformed or of an interim response. */
  read(bytes: Buffer, from: number, method: string): ResponseHead | null {
    const text = bytes.toString('latin1', from, from + MAX_BYTES);
    this.#text = text;
    const bodiless = method === 'HEAD';
    const known = this.#known;
    const again = known !== null && known.bodiless === bodiless ? sameButLength(known, text) : null;
    if (again !== null) return again;
    const head = readResponseHead(text, method);
    if (typeof head === 'number' || head.status < 200) return null;
    this.#known = knownOf(head, text.slice(0, head.length), bodiless);
    return head;
  }

  /** The rest of the bytes, which begin with this head, the one that was read last: one character for each byte. */
  bodyOf(bytes: Buffer, { length }: ResponseHead): string {
    return bytes.length <= MAX_BYTES ? this.#text.slice(length) : bytes.toString('latin1', length);
  }
}

/** `null` for a head whose length is not written as plain digits. */
function knownOf(head: ResponseHead, text: string, bodiless: boolean): Known | null {
  const { declaredLength } = head;
  if (declaredLength === null) return { head, before: text, after: '', bodiless };
  const line = LENGTH_LINE.exec(text);
  if (line === null) return null;
  const valueAt = line.index + line[0].length;
  return { head, before: text.slice(0, valueAt), after: text.slice(valueAt + declaredLength.length), bodiless };
}

/** The head at the start of this text, if it equals the cached one except for the value of `Content-Length`. */
function sameButLength({ head, before, after }: Known, text: string): ResponseHead | null {
  if (text.slice(0, before.length) !== before) return null;
  if (head.declaredLength === null) return head;
  const valueEnd = text.indexOf('\r', before.length);
  const length = valueEnd + after.length;
  if (valueEnd < 0 || text.slice(valueEnd, length) !== after) return null;
  const declaredLength = text.slice(before.length, valueEnd);
  if (declaredLength === head.declaredLength) return head;
  if (!LENGTH.test(declaredLength)) return null;
  const { status, fields, bodyEnd, keepAlive, keepAliveSeconds } = head;
  const contentLength = bodyEnd === 'length' ? Number(declaredLength) : 0;
  return { status, fields, declaredLength, bodyEnd, contentLength, keepAlive, keepAliveSeconds, length };
}
