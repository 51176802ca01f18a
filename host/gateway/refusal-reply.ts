import type { Refusal, RouteProtocol } from '../../core/index.ts';

export interface RefusalReply {
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
export function refusalReply(refusal: Refusal, protocol: RouteProtocol | null, traceId: string): RefusalReply {
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

const topUp = (url: string | null): object => (url === null ? {} : { top_up_url: url });
