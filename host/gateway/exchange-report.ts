import { performance } from 'node:perf_hooks';
import { UNREAD } from '../../core/index.ts';
import type { Allowance, AppView, Logger, MeteredRoute, Refusal, UsageMeter } from '../../core/index.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { HTTP_METHODS } from './refusal-response.ts';
import { pathTemplate } from './request-context.ts';
import type { RequestContext } from './request-context.ts';

/** Logs a refused request: only its path, without the key, and no other input of the client. */
export function logRefusal(logger: Logger, context: RequestContext, { reason, status }: Refusal): void {
  logger.debug('a gateway request was refused', {
    route: context.live?.route.host ?? 'unknown',
    reason,
    status,
    path: context.target === '' ? '' : pathTemplate(context),
    trace_id: context.traceId,
  });
}

/** The sinks in which requests are counted. */
export interface Counters {
  readonly metrics: GatewayMetrics;
  readonly meter: UsageMeter;
  readonly allowance: Allowance;
}

const VERBS: ReadonlyMap<string, readonly string[]> = new Map(HTTP_METHODS.http.map((verb) => [verb, [verb]]));

/** The methods that a request is counted under: those of its JSON-RPC calls, else its HTTP method. */
export function callsOf({ live, method, methods }: RequestContext): readonly string[] {
  return methods ?? (live?.route.protocol === 'http' ? VERBS.get(method) : undefined) ?? UNREAD;
}

/** Counts calls that are about to be sent to a node. */
export function recordSent(
  { meter, allowance }: Counters,
  app: AppView,
  route: MeteredRoute,
  calls: readonly string[],
): void {
  allowance.spend(app, meter.sent(app.id, route, calls));
}

/** Counts a completed request with its admission verdict. */
export function recordExchange(
  { metrics, meter, allowance }: Counters,
  context: RequestContext,
  status: number,
  bytesIn: number,
  bytesOut: number,
): void {
  const { live, auth, admission, startedAt, sent, unanswered } = context;
  const route = live?.route.host ?? 'unknown';
  const app = auth?.key.app.id;
  if (app !== undefined && admission !== null) metrics.admission(route, app, admission);
  if (app !== undefined && live !== null) {
    const calls = callsOf(context);
    if (sent && unanswered && auth !== null) allowance.spend(auth.key.app, -meter.unanswered(app, live.metered, calls));
    if (!sent && status >= 400) meter.refused(app, live.metered, calls);
    else if (status >= 400) meter.failed(app, live.metered, calls);
    meter.bytes(app, live.metered, calls, bytesIn, bytesOut);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.request({ route, app: app ?? 'none', status, seconds, bytesIn, bytesOut });
}
