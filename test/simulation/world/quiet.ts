import type { DomainEvents, EventBus, Logger, Metrics } from '../../../core/index.ts';

/** A logger that keeps nothing. */
export const QUIET_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => QUIET_LOGGER,
};

/** Metrics that count nothing. */
export const QUIET_METRICS: Metrics = { count: () => undefined, gauge: () => undefined, observe: () => undefined };

/** An event bus without listeners. */
export const QUIET_EVENTS: EventBus = { emit: () => undefined, on: () => () => undefined };

/** An event bus that passes on only alerts. */
export function alertsTo(hear: (alert: DomainEvents['alert']) => void): EventBus {
  return {
    ...QUIET_EVENTS,
    emit: (name, event) => (name === 'alert' ? hear(event as DomainEvents['alert']) : undefined),
  };
}
