/** Metrics for Prometheus. @packageDocumentation */
export * from './metric-table.ts';
export * from './prom-metrics.ts';
export type { CollectedMetric, CollectedMetrics, CollectedValue } from './collected-metrics.ts';
export * from './metrics-of-processes.ts';
