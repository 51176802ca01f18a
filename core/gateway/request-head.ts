import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';

/** The headers of a request that the gateway needs before it reads anything else. */
export interface RequestHead {
  /** Every value of the `Authorization` header; at most one is valid. */
  readonly authorization: readonly string[];
  /** `null` when none was declared. */
  readonly contentLength: number | null;
  readonly chunked: boolean;
  /** True for a body with a content coding, which cannot be inspected. */
  readonly encoded: boolean;
  readonly expectsContinue: boolean;
  /** The `Origin` header, where a browser sends the request; `null` for none. */
  readonly origin: string | null;
}

/** Headers that two servers could interpret differently if they occurred twice. */
interface Single {
  host?: string;
  authorization?: string;
  'content-length'?: string;
  'transfer-encoding'?: string;
  'content-type'?: string;
  'content-encoding'?: string;
  expect?: string;
  origin?: string;
  upgrade?: string;
  'sec-websocket-key'?: string;
  'sec-websocket-version'?: string;
}

/** The most header fields of a request. Node's server reads more than this, so that none is dropped unnoticed. */
export const MAX_HEADER_FIELDS = 100;

/**
 * Reads and checks the headers that determine the caller and the end of the request.
 *
 * @param rawHeaders - names and values in turn, as received
 */
export function readHead(method: string, httpVersion: string, rawHeaders: readonly string[]): RequestHead | Refusal {
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS)
    return refuse('bad_request', { status: 431, message: 'The request has too many header fields.' });
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return refuse('bad_request', { status: 505, message: 'The gateway supports only HTTP/1.1 and HTTP/1.0.' });
  const found: Single = {};
  const repeated = singleHeaders(rawHeaders, found);
  if (repeated !== null) return malformed(`The header ${repeated} is repeated.`);
  const { authorization, 'transfer-encoding': coding, 'content-length': length } = found;
  const framing = checkFraming(method, httpVersion, coding, length);
  if (framing !== null) return malformed(framing);
  const expect = found.expect?.toLowerCase();
  if (expect !== undefined && expect !== '100-continue')
    return malformed('The header Expect may only be 100-continue.');
  return {
    authorization: authorization === undefined ? [] : [authorization],
    contentLength: length === undefined ? null : Number(length),
    chunked: coding !== undefined,
    encoded: (found['content-encoding'] ?? 'identity').toLowerCase() !== 'identity',
    expectsContinue: expect !== undefined,
    origin: found.origin ?? null,
  };
}

const DIGITS = /^\d{1,15}$/;

/** The problem of the framing; `null` for none. */
function checkFraming(
  method: string,
  httpVersion: string,
  coding: string | undefined,
  length: string | undefined,
): string | null {
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') return 'The only supported transfer coding is chunked.';
    if (length !== undefined || httpVersion !== '1.1') return 'The length of the body is ambiguous.';
  }
  if (length !== undefined && !DIGITS.test(length)) return 'The length of the body is malformed.';
  const hasBody = coding !== undefined || Number(length ?? 0) > 0;
  return hasBody && method !== 'POST' ? `A ${method} request must not have a body.` : null;
}

/** Extracts the headers of {@link Single}; returns the name of a repeated one. */
function singleHeaders(rawHeaders: readonly string[], found: Single): string | null {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    switch (name) {
      case 'host':
      case 'authorization':
      case 'content-length':
      case 'transfer-encoding':
      case 'content-type':
      case 'content-encoding':
      case 'expect':
      case 'origin':
      case 'upgrade':
      case 'sec-websocket-key':
      case 'sec-websocket-version':
        if (found[name] !== undefined) return name;
        found[name] = rawHeaders[at + 1] as string;
        break;
      default:
    }
  }
  return null;
}

const malformed = (message: string): Refusal => refuse('bad_request', { message });
