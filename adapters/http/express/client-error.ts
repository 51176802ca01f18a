import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { TillgateError } from '../../../core/index.ts';
import type { HttpResponse } from '../messages.ts';
import type { HttpApi } from '../pipeline.ts';

/** The error of a server's `clientError` event. */
export interface ClientError extends NodeJS.ErrnoException {
  /** The bytes that Node's parser rejected. */
  readonly rawPacket?: Buffer;
  /** The parser's error message. */
  readonly reason?: string;
}

/**
 * Answers a request that Node's parser rejected or that timed out with an error envelope, and closes the connection.
 */
export function answerUnreadable(error: ClientError, socket: Duplex, api: HttpApi): void {
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!mayAnswer(error, socket)) {
    socket.destroy();
    return;
  }
  const message = late ? 'The request did not arrive in time.' : 'The request is not valid HTTP.';
  answerRaw(socket, api.failure(new TillgateError('MALFORMED_REQUEST', message), late ? 408 : null));
}

/** False when a reply to the current request has begun: a second one would corrupt it. */
export function mayAnswer(error: ClientError, socket: Duplex): boolean {
  return socket.writable && currentResponse(socket)?.headersSent !== true && error.code !== 'ECONNRESET';
}

/** The response that Node's server has assigned to the socket, if any. */
export function currentResponse(socket: Duplex): ServerResponse | null {
  return (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}

/** Writes a reply to a socket that Node's server no longer reads, and closes it. */
export function answerRaw(socket: Duplex, { status, headers, body }: HttpResponse): void {
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body.toString()}`, () =>
    socket.destroy(),
  );
}
