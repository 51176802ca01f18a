import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { currentResponse } from './client-error.ts';

/** The fields that Node's server attaches to the socket of a connection. */
interface ServerSocket extends Duplex {
  readonly server?: Server;
  setTimeout?(ms: number): void;
}

/** The number of header fields that Node's server keeps when `maxHeadersCount` is not set. */
const DEFAULT_HEADERS_COUNT = 1000;

/** Whether a request asks for WebSocket, the only protocol that the server upgrades to. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Serves a request that offers another protocol as if it had not (RFC 9110, section 7.8): `curl --http2` and the JDK's
 * client offer h2c in every request. Node has stopped reading the connection after the request's head. The connection
 * is handed to the server again with that head, without the offer, so that the body and later requests are read once,
 * by the usual rules.
 *
 * @param head - the bytes that were received after the request's head
 */
export function ignoreUpgrade(req: IncomingMessage, socket: ServerSocket, head: Buffer): void {
  const former = currentResponse(socket);
  if (former !== null) {
    // Responses leave in the order of their requests. An 'error' event without a listener would end the process.
    const onError = (): void => void socket.destroy();
    socket.on('error', onError);
    former.once('close', () => {
      socket.off('error', onError);
      ignoreUpgrade(req, socket, head);
    });
    return;
  }
  // The previous response has closed the connection.
  if (!socket.writable) return;
  if (mayLackFields(req, socket)) {
    socket.destroy();
    return;
  }
  socket.setTimeout?.(0);
  // Paused first: bytes that are unshifted into a flowing stream would wait until more bytes arrive.
  socket.pause();
  socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(req), 'latin1'), head]));
  socket.server?.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
  socket.resume();
}

/**
 * Whether Node may have dropped header fields, including those that frame the body: the body would then be read as a
 * request.
 */
function mayLackFields({ rawHeaders }: IncomingMessage, { server }: ServerSocket): boolean {
  const kept = server?.maxHeadersCount ?? DEFAULT_HEADERS_COUNT;
  return kept > 0 && rawHeaders.length >= 2 * kept;
}

/** The request's head without the `Upgrade` field and without `Upgrade` in `Connection`. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method ?? ''} ${url ?? ''} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const value = rawHeaders[at + 1] as string;
    if (name.toLowerCase() === 'upgrade') continue;
    const kept = name.toLowerCase() === 'connection' ? otherTokens(value) : value;
    if (kept !== null) head += `${name}: ${kept}\r\n`;
  }
  return `${head}\r\n`;
}

/** The tokens of `Connection` other than `Upgrade`; `null` for none. */
function otherTokens(list: string): string | null {
  const tokens = list.split(',').map((token) => token.trim());
  const others = tokens.filter((token) => token !== '' && token.toLowerCase() !== 'upgrade');
  return others.length === 0 ? null : others.join(', ');
}
