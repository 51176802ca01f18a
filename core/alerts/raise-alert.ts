import type { AlertKind } from './alert.ts';
import type { EventBus } from '../ports/events.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';

/** Where alerts go. */
export interface AlertChannels {
  readonly logger: Logger;
  readonly events: EventBus;
  readonly metrics: Metrics;
}

/** Reports something that an operator has to look at: an error in the log, an event, a metric. `reason` holds no secret. */
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
