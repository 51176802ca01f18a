/** Structured logs that hold no secret. @packageDocumentation */
export * from './pino-logger.ts';
export { scrubText } from './secret-text.ts';
