import type { OutgoingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { TillgateError } from '../../../core/index.ts';
import type { HttpResponse } from '../messages.ts';
import type { HttpApi } from '../pipeline.ts';

/** Replies to requests that Node's parser refused or timed out, in the envelope, and closes the connection. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, api: HttpApi): void {
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!socket.writable || isAnswering(socket) || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const message = late ? 'The request did not arrive in time.' : 'The request is not valid HTTP.';
  const response = api.failure(new TillgateError('MALFORMED_REQUEST', message), late ? 408 : null);
  socket.end(asText(response), () => socket.destroy());
}

/** True when a reply to the current request was started: a second one would corrupt it. */
function isAnswering(socket: Socket): boolean {
  const message = (socket as Socket & { readonly _httpMessage?: OutgoingMessage | null })._httpMessage;
  return message?.headersSent ?? false;
}

function asText({ status, headers, body }: HttpResponse): string {
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body.toString()}`;
}
