import type { RequestHead } from '../../../core/index.ts';
import { newMemo } from '../memo.ts';
import type { Memo } from '../memo.ts';
import { readFields } from './field-lines.ts';

/** A request that can be understood in one way only, and needs nothing but its bytes to be answered. */
export interface PlainRequest {
  readonly method: string;
  /** As it came, beginning with `/`. */
  readonly target: string;
  readonly host: string;
  /** Names in lower case and values in turn. */
  readonly fields: readonly string[];
  readonly head: RequestHead;
  /** True when the client wants the connection closed. */
  readonly close: boolean;
  /** Of the head, the empty line included, in bytes. */
  readonly length: number;
  /** What follows from the request alone. */
  readonly memo: Memo;
}

/** Longest head, in bytes; a longer one may still be fine, but is not plain. */
export const MAX_PLAIN_HEAD = 8 * 1024;
/** Longest body, in bytes. */
export const MAX_PLAIN_BODY = 64 * 1024;
const MAX_FIELDS = 100;
const START = /^(GET|HEAD|POST) (\/[!"$-~]*) HTTP\/1\.1\r\n/;
const LENGTH = /^\d{1,5}$/;

/** The headers that decide what a request is; each may stand once. */
interface Decisive {
  host: string | null;
  authorization: string | null;
  'content-length': string | null;
  'content-type': string | null;
  'content-encoding': string | null;
  connection: string | null;
}

/**
 * Reads a request that is plain: GET, HEAD or POST of HTTP/1.1, complete to the end of its head, framed by its
 * `Content-Length` or without a body, asking for nothing else (RFC 9112). Everything that is not certainly that is not
 * read: whoever reads all of HTTP then decides about the same bytes, and answers what is malformed.
 *
 * @param text - the bytes from the request's first one on, one character a byte
 */
export function readPlainRequest(text: string): PlainRequest | null {
  const start = START.exec(text);
  if (start === null) return null;
  const [line, method = '', target = ''] = start;
  const fields: string[] = [];
  const length = readFields(text, line.length, fields);
  if (length < 0 || length > MAX_PLAIN_HEAD || fields.length > 2 * MAX_FIELDS) return null;
  const found: Decisive = { host: null, authorization: null, 'content-length': null, 'content-type': null, 'content-encoding': null, connection: null };
  if (!takeDecisive(fields, found) || found.host === null) return null;
  const contentLength = lengthOf(found['content-length'], method);
  const connection = found.connection?.toLowerCase() ?? 'keep-alive';
  if (contentLength === false || (connection !== 'keep-alive' && connection !== 'close')) return null;
  const head = {
    authorization: found.authorization === null ? [] : [found.authorization],
    contentLength,
    chunked: false,
    encoded: (found['content-encoding'] ?? 'identity').toLowerCase() !== 'identity',
    expectsContinue: false,
  };
  return { method, target, host: found.host, fields, head, close: connection === 'close', length, memo: newMemo() };
}

/** Writes the names in lower case, and takes out what decides. False when something stands twice, or asks for more than a plain reply. */
function takeDecisive(fields: string[], found: Decisive): boolean {
  for (let at = 0; at < fields.length; at += 2) {
    const name = (fields[at] as string).toLowerCase();
    fields[at] = name;
    switch (name) {
      case 'host':
      case 'authorization':
      case 'content-length':
      case 'content-type':
      case 'content-encoding':
      case 'connection':
        if (found[name] !== null) return false;
        found[name] = fields[at + 1] as string;
        break;
      case 'transfer-encoding':
      case 'expect':
      case 'upgrade':
      // Node takes it for `Connection`.
      case 'proxy-connection':
        return false;
      default:
        if (name.startsWith('sec-websocket-')) return false;
    }
  }
  return true;
}

/** The length of the body, `null` for none declared, false where it is not certain or not small. */
function lengthOf(text: string | null, method: string): number | null | false {
  if (text === null) return null;
  const length = LENGTH.test(text) ? Number(text) : NaN;
  return length === 0 || (length <= MAX_PLAIN_BODY && method === 'POST') ? length : false;
}
