import { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Link } from '@opentelemetry/api';
import type { CallbackTransport, PortWrappers } from '../../core/index.ts';
import { header } from '../http/messages.ts';
import type { HeaderMap } from '../http/messages.ts';
import type { TraceRequest } from '../http/deps.ts';
import { ORDER_ID, quietly, Spans, timeNow } from './spans.ts';
import { traceChains, traceLightning } from './trace-nodes.ts';
import { traceStorage } from './trace-storage.ts';

/** The tools with which a till is traced. */
export interface Tracing {
  /** For the HTTP edge. */
  readonly request: TraceRequest;
  /** Around the ports of the till. */
  readonly wrap: Pick<PortWrappers, 'storage' | 'chains' | 'lightning' | 'callbackTransport'>;
}

/**
 * Traces by the global API of OpenTelemetry, which does nothing until the application has registered its SDK. Spans hold
 * names, ids, chains, hosts of callbacks, statuses and codes of errors: no text that a user sent, no address of a node.
 */
export function openTracing(): Tracing {
  const spans = new Spans(trace.getTracer('tillgate'));
  return {
    request: traceRequest(spans),
    wrap: {
      storage: (storage) => traceStorage(storage, spans),
      chains: (chains) => traceChains(chains, spans),
      lightning: (node) => traceLightning(node, spans),
      callbackTransport: (transport) => traceCallbacks(transport, spans),
    },
  };
}

/**
 * The `traceparent` of a caller becomes a link and not the parent, so that callers decide neither about sampling nor
 * about the structure of traces.
 */
function traceRequest(spans: Spans): TraceRequest {
  return ({ operation, method, headers }, run) => {
    const attributes = { 'http.request.method': method, 'tillgate.operation': operation };
    return spans.around(operation, { kind: SpanKind.SERVER, attributes, links: linksOf(headers) }, async (span) => {
      const response = await run();
      quietly(() => span.setAttribute('http.response.status_code', response.status));
      if (response.status >= 500) quietly(() => span.setStatus({ code: SpanStatusCode.ERROR }));
      return response;
    });
  };
}

function linksOf(headers: HeaderMap): Link[] {
  const traceparent = header(headers, 'traceparent');
  if (traceparent === null) return [];
  const caller = quietly(() => trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent })));
  return caller === null || caller === undefined ? [] : [{ context: caller }];
}

function traceCallbacks(transport: CallbackTransport, spans: Spans): CallbackTransport {
  return {
    send: async (request) => {
      const startedAt = timeNow();
      const outcome = await transport.send(request);
      const { orderId, attempt } = request;
      spans.record({
        name: 'callback send',
        kind: SpanKind.CLIENT,
        startedAt,
        attributes: {
          'http.request.method': request.method,
          'server.address': quietly(() => new URL(request.url).hostname) ?? '',
          'tillgate.callback.outcome': outcome.kind,
          ...(orderId !== undefined && orderId !== null && { [ORDER_ID]: orderId }),
          ...(attempt !== undefined && { 'tillgate.callback.attempt': attempt }),
          ...(outcome.kind === 'answered' && { 'http.response.status_code': outcome.status }),
        },
      });
      return outcome;
    },
  };
}
