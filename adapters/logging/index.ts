/** Structured logs that hold no secret. @packageDocumentation */
export * from './bridge-logger.ts';
export * from './pino-logger.ts';
export { scrubText } from './secret-text.ts';
