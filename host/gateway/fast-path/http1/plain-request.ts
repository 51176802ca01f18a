import { MAX_HEADER_FIELDS } from '../../../../core/index.ts';
import type { RequestHead } from '../../../../core/index.ts';
import type { ReceivedRequest } from '../../request-context.ts';
import { newRequestHeadCache } from '../../request-head-cache.ts';
import { endsLine, readField } from './field-lines.ts';

export interface HeaderLine {
  /** Includes the line break. */
  readonly text: string;
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** The decisive header of this name, `feature` for a header that requests another feature of HTTP, or `other`. */
  readonly use: keyof Decisive | 'feature' | 'other';
}

/**
 * A request that every parser reads in the same way, and that needs no other feature of HTTP. The names in `rawHeaders`
 * are in lower case.
 */
export interface PlainRequest extends ReceivedRequest {
  readonly head: RequestHead;
  /** True when the client requested to close the connection. */
  readonly close: boolean;
  /** The length of the head in bytes, including the empty line. */
  readonly length: number;
}

/** A plain request with its lines. */
export interface PlainHead {
  readonly request: PlainRequest;
  /** The request line, including the line break. */
  readonly start: string;
  readonly lines: readonly HeaderLine[];
}

/** Longest head, in bytes; a request with a longer one goes to Node's server. */
export const MAX_PLAIN_HEAD = 8 * 1024;
/** Longest body, in bytes; a request with a longer one goes to Node's server. */
export const MAX_PLAIN_BODY = 64 * 1024;
const CR = 0x0d;
const START = /^(GET|HEAD|POST) (\/[!"$-~]*) HTTP\/1\.1\r\n/;
const LENGTH = /^\d{1,5}$/;

/** The headers that decide how a request is parsed; none may be repeated. */
class Decisive {
  host: string | null = null;
  authorization: string | null = null;
  'content-length': string | null = null;
  'content-type': string | null = null;
  'content-encoding': string | null = null;
  connection: string | null = null;
  origin: string | null = null;
}
const DECISIVE: ReadonlySet<string> = new Set(Object.keys(new Decisive()));
/** Headers that request another feature. Node treats `Proxy-Connection` as `Connection`. */
const FEATURES: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'upgrade', 'proxy-connection']);

/**
 * Reads a plain request (RFC 9112): GET, HEAD or POST of HTTP/1.1, with a complete head, framed by `Content-Length` or
 * without a body. Returns `null` for anything else: Node's server then reads the same bytes, and answers malformed
 * requests.
 *
 * @param text - begins with the request's first byte, one character for each byte
 */
export function readPlainHead(text: string): PlainHead | null {
  const start = START.exec(text);
  if (start === null) return null;
  const [startLine, method = '', target = ''] = start;
  const lines: HeaderLine[] = [];
  const found = new Decisive();
  let at = startLine.length;
  while (text.charCodeAt(at) !== CR) {
    const line = readHeader(text, at);
    if (line === null || !take(line, found)) return null;
    lines.push(line);
    at += line.text.length;
  }
  const length = endsLine(text, at);
  if (length < 0 || length > MAX_PLAIN_HEAD || lines.length > MAX_HEADER_FIELDS || found.host === null) return null;
  const head = headOf(found, method);
  if (head === null) return null;
  const request: PlainRequest = {
    method,
    target,
    httpVersion: '1.1',
    rawHeaders: lines.flatMap(({ name, value }) => [name, value]),
    hostHeader: found.host,
    upgrade: false,
    head,
    headCache: newRequestHeadCache(),
    close: found.connection?.toLowerCase() === 'close',
    length,
  };
  return { request, start: startLine, lines };
}

function readHeader(text: string, at: number): HeaderLine | null {
  const field: string[] = [];
  const end = readField(text, at, field);
  if (end < 0) return null;
  const [given = '', value = ''] = field;
  const name = given.toLowerCase();
  const use = DECISIVE.has(name) ? (name as keyof Decisive) : asksForFeature(name) ? 'feature' : 'other';
  return { text: text.slice(at, end), name, value, use };
}

const asksForFeature = (name: string): boolean => FEATURES.has(name) || name.startsWith('sec-websocket-');

/** False for a repeated header, or one that requests another feature. */
function take({ use, value }: HeaderLine, found: Decisive): boolean {
  if (use === 'other') return true;
  if (use === 'feature' || found[use] !== null) return false;
  found[use] = value;
  return true;
}

/** `null` for a length or a connection that is not plain. */
function headOf(found: Decisive, method: string): RequestHead | null {
  const contentLength = lengthOf(found['content-length'], method);
  const connection = found.connection?.toLowerCase() ?? 'keep-alive';
  if (contentLength === false || (connection !== 'keep-alive' && connection !== 'close')) return null;
  return {
    authorization: found.authorization === null ? [] : [found.authorization],
    contentLength,
    chunked: false,
    encoded: (found['content-encoding'] ?? 'identity').toLowerCase() !== 'identity',
    expectsContinue: false,
    origin: found.origin,
  };
}

/** The length of the body; `null` without the header; false for an invalid, forbidden or large one. */
export function lengthOf(text: string | null, method: string): number | null | false {
  if (text === null) return null;
  const length = LENGTH.test(text) ? Number(text) : NaN;
  return length === 0 || (length <= MAX_PLAIN_BODY && method === 'POST') ? length : false;
}
