/** Metrics for Prometheus. @packageDocumentation */
export * from './metric-table.ts';
export * from './prom-metrics.ts';
