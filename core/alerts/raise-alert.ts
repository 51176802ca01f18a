import type { EventBus } from '../ports/events.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';

/** Where alerts go. */
export interface AlertChannels {
  readonly logger: Logger;
  readonly events: EventBus;
  readonly metrics: Metrics;
}

/** What an alert is about, for the metric's label. */
export type AlertKind = 'approval' | 'loss' | 'payouts-stopped' | 'transfer';

/** Tells people that one of them must look: an error in the log, an event, a count. `reason` holds no secret. */
export function raiseAlert({ logger, events, metrics }: AlertChannels, kind: AlertKind, subject: string, reason: string): void {
  logger.error('a person must look', { alert: kind, subject, reason });
  metrics.count('tillgate_alerts_total', { kind });
  events.emit('alert', { subject, reason });
}
