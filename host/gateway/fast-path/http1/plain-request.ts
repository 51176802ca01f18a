import { MAX_HEADER_FIELDS } from '../../../../core/index.ts';
import type { RequestHead } from '../../../../core/index.ts';
import type { ReceivedRequest } from '../../request-context.ts';
import { newRequestHeadCache } from '../../request-head-cache.ts';
import { readFields } from './field-lines.ts';

/**
 * A request that every reader understands in the same way, and that needs no other feature of HTTP. The names in
 * `rawHeaders` are in lower case.
 */
export interface PlainRequest extends ReceivedRequest {
  readonly head: RequestHead;
  /** True when the client asked to close the connection. */
  readonly close: boolean;
  /** Of the head, including the empty line, in bytes. */
  readonly length: number;
}

/** Longest head, in bytes; a request with a longer one goes to Node's server. */
export const MAX_PLAIN_HEAD = 8 * 1024;
/** Longest body, in bytes; a request with a longer one goes to Node's server. */
export const MAX_PLAIN_BODY = 64 * 1024;
const START = /^(GET|HEAD|POST) (\/[!"$-~]*) HTTP\/1\.1\r\n/;
const LENGTH = /^\d{1,5}$/;

/** The headers that decide how a request is read; none may be repeated. */
interface Decisive {
  host: string | null;
  authorization: string | null;
  'content-length': string | null;
  'content-type': string | null;
  'content-encoding': string | null;
  connection: string | null;
  origin: string | null;
}

/**
 * Reads a plain request (RFC 9112): GET, HEAD or POST of HTTP/1.1, with a complete head, framed by `Content-Length` or
 * without a body. Returns `null` for anything else: Node's server then reads the same bytes, and answers what is
 * malformed.
 *
 * @param text - the bytes from the request's first one on, one character for each byte
 */
export function readPlainRequest(text: string): PlainRequest | null {
  const start = START.exec(text);
  if (start === null) return null;
  const [line, method = '', target = ''] = start;
  const fields: string[] = [];
  const length = readFields(text, line.length, fields);
  if (length < 0 || length > MAX_PLAIN_HEAD || fields.length > 2 * MAX_HEADER_FIELDS) return null;
  const found: Decisive = {
    host: null,
    authorization: null,
    'content-length': null,
    'content-type': null,
    'content-encoding': null,
    connection: null,
    origin: null,
  };
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
    origin: found.origin,
  };
  return {
    method,
    target,
    httpVersion: '1.1',
    rawHeaders: fields,
    hostHeader: found.host,
    upgrade: false,
    head,
    headCache: newRequestHeadCache(),
    close: connection === 'close',
    length,
  };
}

/** Changes the names to lower case and fills `found`. False for a repeated header, or one that asks for another feature. */
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
      case 'origin':
        if (found[name] !== null) return false;
        found[name] = fields[at + 1] as string;
        break;
      case 'transfer-encoding':
      case 'expect':
      case 'upgrade':
      // Node reads it as `Connection`.
      case 'proxy-connection':
        return false;
      default:
        if (name.startsWith('sec-websocket-')) return false;
    }
  }
  return true;
}

/** The length of the body; `null` without the header; false for an invalid, forbidden or large one. */
function lengthOf(text: string | null, method: string): number | null | false {
  if (text === null) return null;
  const length = LENGTH.test(text) ? Number(text) : NaN;
  return length === 0 || (length <= MAX_PLAIN_BODY && method === 'POST') ? length : false;
}
