/** Structured logs without secrets. @packageDocumentation */
export * from './bridge-logger.ts';
export * from './pino-logger.ts';
export { textLine } from './text-line.ts';
export { scrubText } from './secret-text.ts';
