import { INCOMPLETE, MALFORMED, readFields } from './field-lines.ts';

/** The framing of a response's body (RFC 9112, section 6.3). */
export type BodyEnd = 'none' | 'length' | 'chunked' | 'close';

export interface ResponseHead {
  readonly status: number;
  /** Names, as received, alternating with values; without `Content-Length`. */
  readonly fields: readonly string[];
  readonly declaredLength: string | null;
  readonly bodyEnd: BodyEnd;
  /** The length of the body in bytes, if `bodyEnd` is `length`. */
  readonly contentLength: number;
  /** False when the upstream closes the connection after this response. */
  readonly keepAlive: boolean;
  /** From `Keep-Alive: timeout=…`; `null` without it. */
  readonly keepAliveSeconds: number | null;
  /** The length of the head in bytes, including the empty line. */
  readonly length: number;
}

/** Longest head of a response, in bytes. */
export const MAX_RESPONSE_HEAD = 32 * 1024;
const START = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?\r\n/;
const LENGTH = /^\d{1,15}$/;
const TIMEOUT = /(?:^|[,;\s])timeout\s*=\s*(\d{1,6})/i;
/** Bytes with another beginning are not an HTTP/1 response. */
const BEGINNING = 'HTTP/1.';

/** The headers that frame a response; only `Connection` and `Keep-Alive` may be repeated. */
interface Framing {
  length: string | null;
  coding: string | null;
  connection: string;
  keepAlive: string;
}

/**
 * Reads the head of a response, strictly. A response is malformed if two parsers could find its end in different
 * places: it has both a length and a transfer coding, one of them twice, or another coding than `chunked`.
 *
 * @param text - begins with the response's first byte, one character for each byte
 * @param method - the request's method
 * @returns {@link INCOMPLETE} if more bytes are needed, {@link MALFORMED} for anything that is not a response
 */
export function readResponseHead(text: string, method: string): ResponseHead | typeof INCOMPLETE | typeof MALFORMED {
  const start = START.exec(text);
  if (start === null)
    return text.includes('\n') || text.slice(0, BEGINNING.length) !== BEGINNING.slice(0, text.length)
      ? MALFORMED
      : INCOMPLETE;
  const fields: string[] = [];
  const length = readFields(text, start[0].length, fields);
  if (length === INCOMPLETE || length === MALFORMED) return length;
  const framing = takeFraming(fields);
  const status = Number(start[2]);
  const bodiless = status < 200 || status === 204 || status === 304 || method === 'HEAD';
  const bodyEnd = framing === null ? null : bodyEndOf(framing, bodiless);
  if (framing === null || bodyEnd === null) return MALFORMED;
  const closes =
    hasToken(framing.connection, 'close') || (start[1] === '0' && !hasToken(framing.connection, 'keep-alive'));
  const seconds = framing.keepAlive === '' ? undefined : TIMEOUT.exec(framing.keepAlive)?.[1];
  return {
    status,
    fields,
    declaredLength: framing.length,
    bodyEnd,
    length,
    contentLength: bodyEnd === 'length' ? Number(framing.length) : 0,
    keepAlive: bodyEnd !== 'close' && !closes,
    keepAliveSeconds: seconds === undefined ? null : Number(seconds),
  };
}

/** Removes `Content-Length` from the fields. `null` for a repeated length or transfer coding. */
function takeFraming(fields: string[]): Framing | null {
  const framing: Framing = { length: null, coding: null, connection: '', keepAlive: '' };
  let lengthAt = -1;
  for (let at = 0; at < fields.length; at += 2) {
    const given = fields[at] as string;
    // Only names of these lengths matter, which spares most names the conversion to lower case.
    if (given.length !== 10 && given.length !== 14 && given.length !== 17) continue;
    const value = fields[at + 1] as string;
    switch (given.toLowerCase()) {
      case 'content-length':
        if (framing.length !== null) return null;
        framing.length = value;
        lengthAt = at;
        break;
      case 'transfer-encoding':
        if (framing.coding !== null) return null;
        framing.coding = value;
        break;
      case 'connection':
        framing.connection += `,${value}`;
        break;
      case 'keep-alive':
        framing.keepAlive += `,${value}`;
        break;
      default:
    }
  }
  if (lengthAt >= 0) fields.splice(lengthAt, 2);
  return framing;
}

/** `null` for malformed framing. */
function bodyEndOf({ length, coding }: Framing, bodiless: boolean): BodyEnd | null {
  if (coding !== null && (length !== null || coding.toLowerCase() !== 'chunked')) return null;
  if (length !== null && !LENGTH.test(length)) return null;
  if (bodiless) return 'none';
  if (coding !== null) return 'chunked';
  return length === null ? 'close' : 'length';
}

function hasToken(list: string, token: string): boolean {
  const text = list.toLowerCase();
  return text.includes(token) && text.split(',').some((part) => part.trim() === token);
}
