import type { AlertKind } from './alert.ts';
import type { EventBus, Logger, Metrics } from '../kernel/index.ts';

/** The channels to which alerts are reported. */
export interface AlertChannels {
  readonly logger: Logger;
  readonly events: EventBus;
  readonly metrics: Metrics;
}

/** Reports a problem to operators by an error in the log, an event, and a metric. `reason` contains no secret. */
export function raiseAlert(
  { logger, events, metrics }: AlertChannels,
  kind: AlertKind,
  subject: string,
  reason: string,
): void {
  logger.error('manual intervention required', { alert: kind, subject, reason });
  metrics.count('tillgate_alerts_total', { kind });
  events.emit('alert', { kind, subject, reason });
}
