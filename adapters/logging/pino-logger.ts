import { pino } from 'pino';
import type { DestinationStream, LoggerOptions, Logger as PinoInstance } from 'pino';
import type { LogFields, Logger } from '../../core/index.ts';
import { cleanFields } from './clean-fields.ts';
import { scrubText } from './secret-text.ts';

/** From the lowest to the highest; `silent` writes nothing. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Settings of {@link PinoLogger}; each has a default. */
export interface PinoLoggerOptions {
  readonly level?: LogLevel;
  /** Receives each line, with its newline; standard output by default. */
  readonly destination?: DestinationStream;
}

/**
 * {@link Logger} that writes JSON lines with pino. Only redacted copies are written: secrets are kept out by an allow
 * list of what is copied, not by a list of places where they might be.
 */
export class PinoLogger implements Logger {
  readonly #pino: PinoInstance;

  /** @param instance - the pino logger to write with, for children */
  constructor(options: PinoLoggerOptions = {}, instance: PinoInstance = createPino(options)) {
    this.#pino = instance;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new PinoLogger({}, this.#pino.child({ ...cleanFields(fields) }));
  }

  #write(level: Exclude<LogLevel, 'silent'>, message: string, fields: LogFields | undefined): void {
    if (!this.#pino.isLevelEnabled(level)) return;
    this.#pino[level](fields === undefined ? {} : cleanFields(fields), scrubText(message));
  }
}

function createPino({ level = 'info', destination }: PinoLoggerOptions): PinoInstance {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
