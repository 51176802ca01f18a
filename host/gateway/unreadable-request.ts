import type { Duplex } from 'node:stream';
import { refuse } from '../../core/index.ts';
import type { Refusal } from '../../core/index.ts';
import { currentResponse } from '../../adapters/http/express/client-error.ts';
import type { ClientError } from '../../adapters/http/express/client-error.ts';
import { newRequestHeadCache } from './request-head-cache.ts';
import type { ReceivedRequest } from './request-context.ts';

const HOST_LINE = /\nhost:([^\r\n]*)[\r\n]/i;

/** The host of a request that Node's parser rejected: from the request in progress, or from the rejected bytes. */
export function unreadableHost({ rawPacket }: ClientError, socket: Duplex): string | null {
  const known = currentResponse(socket)?.req.headers.host;
  return known ?? HOST_LINE.exec(rawPacket?.toString('latin1') ?? '')?.[1]?.trim() ?? null;
}

/** A request of which only the host is known. */
export function unreadableRequest(hostHeader: string): ReceivedRequest {
  return {
    method: '',
    target: '',
    httpVersion: '1.1',
    rawHeaders: [],
    hostHeader,
    upgrade: false,
    head: null,
    headCache: newRequestHeadCache(),
  };
}

export function unreadableRefusal({ code, reason }: ClientError): Refusal {
  // The same code also means that the line does not end after the version.
  if (reason === 'Invalid HTTP version')
    return refuse('bad_request', { status: 505, message: 'The gateway supports only HTTP/1.1 and HTTP/1.0.' });
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('bad_request', { status: 408, message: 'The request did not arrive in time.' });
    case 'HPE_HEADER_OVERFLOW':
      return refuse('bad_request', { status: 431, message: "The request's head is too large." });
    default:
      return refuse('bad_request', { message: 'The request is not valid HTTP.' });
  }
}
