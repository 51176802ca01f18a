import type { Logger, Refusal } from '../../core/index.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { pathTemplate } from './request-context.ts';
import type { RequestContext } from './request-context.ts';

/** Logs a refused request: its path without the key, and nothing that the client sent besides. */
export function logRefusal(logger: Logger, context: RequestContext, { reason, status }: Refusal): void {
  logger.debug('a gateway request was refused', {
    route: context.live?.route.host ?? 'unknown',
    reason,
    status,
    path: context.target === '' ? '' : pathTemplate(context),
    trace_id: context.traceId,
  });
}

/** Counts a request that has ended, with the verdict on it. */
export function recordExchange(
  metrics: GatewayMetrics,
  { live, auth, admission, startedAt }: RequestContext,
  status: number,
  bytesIn: number,
  bytesOut: number,
): void {
  const route = live?.route.host ?? 'unknown';
  const app = auth?.key.app.id;
  if (app !== undefined && admission !== null) metrics.admission(route, app, admission);
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.request({ route, app: app ?? 'none', status, seconds, bytesIn, bytesOut });
}
