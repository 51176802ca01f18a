import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isRefusal, readHead } from '../../core/index.ts';
import type { JsonRpcRequest, Refusal, RequestHead, RouteProtocol } from '../../core/index.ts';
import { currentResponse } from '../../adapters/http/express/client-error.ts';
import { drainThenEnd } from '../../adapters/http/express/drain-then-end.ts';
import { corsOf, graceHeaders } from './request-context.ts';
import type { RequestContext } from './request-context.ts';

export interface RefusalResponse {
  readonly status: number;
  /** Names alternating with values, without the framing. */
  readonly headers: readonly string[];
  readonly body: string;
}

export const HTTP_METHODS: Readonly<Record<RouteProtocol, readonly string[]>> = {
  jsonrpc: ['POST'],
  http: ['GET', 'HEAD', 'POST'],
  websocket: ['GET'],
};

/** Status, headers and body of a refusal, in the form of the route's protocol. */
export function refusalResponse(refusal: Refusal, protocol: RouteProtocol | null, traceId: string): RefusalResponse {
  const { status, reason, message, topUpUrl } = refusal;
  const body =
    protocol === 'jsonrpc'
      ? rpcRefusal(refusal, 'null', traceId)
      : JSON.stringify({ error: { code: reason, message, trace_id: traceId, ...topUp(topUpUrl) } });
  return {
    status,
    headers: [
      'Content-Type',
      'application/json',
      'X-Trace-Id',
      traceId,
      'Cache-Control',
      'no-store',
      ...extras(refusal, protocol),
      ...refusal.headers,
    ],
    body,
  };
}

function extras({ status, retryAfterSeconds, topUpUrl }: Refusal, protocol: RouteProtocol | null): readonly string[] {
  // The link relation of RFC 8288's registry for a place where a payment is made.
  if (topUpUrl !== null) return ['Link', `<${topUpUrl}>; rel="payment"`];
  if (status === 401) return ['WWW-Authenticate', 'Bearer'];
  if (status === 405) return ['Allow', HTTP_METHODS[protocol ?? 'http'].join(', ')];
  if (status === 429 || retryAfterSeconds !== null) return ['Retry-After', String(retryAfterSeconds ?? 1)];
  return [];
}

/**
 * A refusal as a JSON-RPC error.
 *
 * @param idText - the request's id as JSON text, exactly as it came
 */
export function rpcRefusal({ rpcCode, reason, message, topUpUrl }: Refusal, idText: string, traceId: string): string {
  const error = JSON.stringify({ code: rpcCode, message, data: { reason, trace_id: traceId, ...topUp(topUpUrl) } });
  return `{"jsonrpc":"2.0","id":${idText},"error":${error}}`;
}

/** One error for each request with an id; a single error without an id if all are notifications. */
export function rpcRefusals(
  { batch, ids }: Pick<JsonRpcRequest, 'batch' | 'ids'>,
  refusal: Refusal,
  traceId: string,
): string {
  const answers = ids.flatMap((id) => (id === null ? [] : [rpcRefusal(refusal, id, traceId)]));
  if (answers.length === 0) return rpcRefusal(refusal, 'null', traceId);
  return batch ? `[${answers.join(',')}]` : (answers[0] ?? '');
}

const topUp = (url: string | null): object => (url === null ? {} : { top_up_url: url });

/** Connections that close after their next response; requests pipelined behind it are ignored. */
const ending = new WeakSet<object>();

/** True for a connection that closes after its current response: none of its further requests may be executed. */
export function isEnding(socket: object): boolean {
  return ending.has(socket);
}

export function endAfterResponse(socket: object): void {
  ending.add(socket);
}

/** The response to a refused request, with the framing of its body. */
export function refusalResponseFor(
  refusal: Refusal,
  context: RequestContext,
): { readonly status: number; readonly headers: string[]; readonly body: string } {
  const { status, headers, body } = refusalResponse(refusal, context.live?.route.protocol ?? null, context.traceId);
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
  const { status, headers, body } = refusalResponseFor(refusal, context);
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
  const { status, headers, body } = refusalResponseFor(refusal, context);
  const all = [...headers, ...extra, 'Connection', 'close'];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < all.length; at += 2) head += `${all[at] ?? ''}: ${all[at + 1] ?? ''}\r\n`;
  endAfterResponse(socket);
  socket.end(`${head}\r\n${body}`, () => socket.destroy());
}
