import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { formatInstant, refusalReply } from '../../core/index.ts';
import type { Authenticated, Refusal } from '../../core/index.ts';
import { drainThenEnd } from '../../adapters/http/express/drain-then-end.ts';
import type { Visit } from './visit.ts';

/** Connections whose next reply is their last: what was sent behind a refused request is not looked at. */
const ending = new WeakSet<object>();

/** True for a connection that closes with the reply before; nothing more of it may be carried out. */
export function isEnding(socket: object): boolean {
  return ending.has(socket);
}

/** Lets no further request of a connection be carried out. */
export function endAfterReply(socket: object): void {
  ending.add(socket);
}

/** What every reply to a key in grace says: when the key ends. */
export function graceHeaders(auth: Authenticated | null): readonly string[] {
  const expires = auth?.state === 'grace' ? auth.key.expiresAt : null;
  return expires === null ? NONE : ['X-Key-Expires', formatInstant(expires)];
}

const NONE: readonly string[] = [];

/** What a refused request is told; the framing of the body is among the headers. */
export function refusalFor(refusal: Refusal, visit: Visit): { readonly status: number; readonly headers: string[]; readonly body: string } {
  const { status, headers, body } = refusalReply(refusal, visit.live?.route.protocol ?? null, visit.traceId);
  return { status, headers: [...headers, ...graceHeaders(visit.auth), 'Content-Length', String(Buffer.byteLength(body))], body };
}

/**
 * Answers with a refusal. One that comes before the body was read closes the connection: a client that is still
 * sending reads its reply only when the connection is not reset under it, so what still comes is thrown away within
 * bounds first.
 */
export function writeRefusal(req: IncomingMessage, res: ServerResponse, visit: Visit, refusal: Refusal, { early }: { readonly early: boolean }): void {
  const { status, headers, body } = refusalFor(refusal, visit);
  if (!early) {
    res.writeHead(status, headers);
    res.end(body);
    return;
  }
  endAfterReply(req.socket);
  res.writeHead(status, [...headers, 'Connection', 'close']);
  const sendsBody = visit.head?.chunked === true || (visit.head?.contentLength ?? 0) > 0;
  if (!sendsBody || visit.head?.expectsContinue === true) {
    res.end(body);
    return;
  }
  res.write(body);
  drainThenEnd(req, res);
}

/** Answers a refused change of protocol on the bare connection, and closes it. */
export function writeRawRefusal(socket: Duplex, visit: Visit, refusal: Refusal, extra: readonly string[] = []): void {
  // A reply to an earlier request of this connection is still on its way: nothing may be written into the middle of it.
  if (!socket.writable || (socket as Duplex & { readonly _httpMessage?: OutgoingMessage | null })._httpMessage) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusalFor(refusal, visit);
  const all = [...headers, ...extra, 'Connection', 'close'];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < all.length; at += 2) head += `${all[at] ?? ''}: ${all[at + 1] ?? ''}\r\n`;
  endAfterReply(socket);
  socket.end(`${head}\r\n${body}`, () => socket.destroy());
}
