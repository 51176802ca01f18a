/** Traces by OpenTelemetry: requests, the storage, nodes and callbacks, with the order's id. @packageDocumentation */
export { openTracing } from './tracing.ts';
export type { Tracing } from './tracing.ts';
export { ORDER_ID } from './spans.ts';
