import { token } from './token.ts';

/** Structured fields of a log line. Never pass secrets; the adapter also redacts known field names. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logging. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each line. */
  child(fields: LogFields): Logger;
}

export const LOGGER = token<Logger>('Logger');
