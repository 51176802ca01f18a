import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { corsHeaders, formatInstant, isRefusal, readHead } from '../../core/index.ts';
import type { Authenticated, Refusal, RequestHead } from '../../core/index.ts';
import { currentResponse } from '../../adapters/http/express/client-error.ts';
import { drainThenEnd } from '../../adapters/http/express/drain-then-end.ts';
import { refusalReply } from './refusal-reply.ts';
import type { RequestContext } from './request-context.ts';

/** Connections that close after their next response; requests pipelined behind it are ignored. */
const ending = new WeakSet<object>();

/** True for a connection that closes after its current response: none of its further requests may be executed. */
export function isEnding(socket: object): boolean {
  return ending.has(socket);
}

export function endAfterResponse(socket: object): void {
  ending.add(socket);
}

/** The expiry of a key in its grace period; every response has it. */
export function graceHeaders(auth: Authenticated | null): readonly string[] {
  const expires = auth?.state === 'grace' ? auth.key.expiresAt : null;
  return expires === null ? NONE : ['X-Key-Expires', formatInstant(expires)];
}

const NONE: readonly string[] = [];

/** The CORS headers with which a page may read the response to a browser's request. */
export function corsOf({ live, head }: RequestContext): readonly string[] {
  return live === null || head === null ? NONE : corsHeaders(live.route.cors, head.origin);
}

/** The response to a refused request, with the framing of its body. */
export function refusalFor(
  refusal: Refusal,
  context: RequestContext,
): { readonly status: number; readonly headers: string[]; readonly body: string } {
  const { status, headers, body } = refusalReply(refusal, context.live?.route.protocol ?? null, context.traceId);
  return {
    status,
    headers: [
      ...headers,
      ...graceHeaders(context.auth),
      ...corsOf(context),
      'Content-Length',
      String(Buffer.byteLength(body)),
    ],
    body,
  };
}

/** Up to this many bytes of a refused request are read in order to keep the connection. */
const MAX_SKIPPED = 64 * 1024;

/**
 * Answers with a refusal. The connection continues if the end of the request is near and certain. Otherwise it closes,
 * and some of the request is read and dropped first: closing at once would reset the connection, and the client could
 * lose the response.
 */
export function writeRefusal(
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  refusal: Refusal,
): void {
  const { status, headers, body } = refusalFor(refusal, context);
  const head = context.head ?? readHead(context.method, context.httpVersion, context.rawHeaders);
  // A body that did not arrive in time may never arrive.
  if (status !== 408 && (req.complete || hasNearEnd(head))) {
    res.writeHead(status, headers);
    res.end(body);
    req.resume();
    return;
  }
  endAfterResponse(req.socket);
  res.writeHead(status, [...headers, 'Connection', 'close']);
  if (isRefusal(head) || head.expectsContinue) {
    res.end(body);
    return;
  }
  res.write(body);
  drainThenEnd(req, res);
}

/** A client that waits for `100 Continue` may or may not send its body after a refusal. */
function hasNearEnd(head: RequestHead | Refusal): boolean {
  if (isRefusal(head) || head.chunked) return false;
  const { contentLength } = head;
  return (contentLength ?? 0) === 0 || (!head.expectsContinue && (contentLength ?? 0) <= MAX_SKIPPED);
}

/** Answers a refused protocol upgrade on the socket, and closes it. */
export function writeRawRefusal(
  socket: Duplex,
  context: RequestContext,
  refusal: Refusal,
  extra: readonly string[] = [],
): void {
  // A response to an earlier request is still being written: nothing may be inserted into it.
  if (socket.writable && currentResponse(socket) === null) endWithRefusal(socket, context, refusal, extra);
  else socket.destroy();
}

/** Writes a refusal to a socket that Node's server no longer reads, and closes it. */
export function endWithRefusal(
  socket: Duplex,
  context: RequestContext,
  refusal: Refusal,
  extra: readonly string[] = [],
): void {
  const { status, headers, body } = refusalFor(refusal, context);
  const all = [...headers, ...extra, 'Connection', 'close'];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < all.length; at += 2) head += `${all[at] ?? ''}: ${all[at + 1] ?? ''}\r\n`;
  endAfterResponse(socket);
  socket.end(`${head}\r\n${body}`, () => socket.destroy());
}
