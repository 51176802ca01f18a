import { pino } from 'pino';
import type { DestinationStream, LoggerOptions, Logger as PinoInstance } from 'pino';
import type { LogFields, Logger } from '../../core/index.ts';
import { cleanFields } from './clean-fields.ts';
import { scrubText } from './secret-text.ts';

/** From the lowest to the highest; `silent` writes nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level of a logger and of its children. */
export interface Threshold {
  level: LogLevel;
}

/** What a child shares with its logger. */
export interface PinoParent {
  readonly instance: PinoInstance;
  readonly threshold: Threshold;
}

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
  readonly #threshold: Threshold;

  /** @param parent - the logger whose output and level a child shares */
  constructor(options: PinoLoggerOptions = {}, parent: PinoParent | null = null) {
    this.#pino = parent?.instance ?? createPino(options);
    this.#threshold = parent?.threshold ?? { level: options.level ?? 'info' };
  }

  /** Sets the lowest level that is written from now on, by all children too. */
  setLevel(level: LogLevel): void {
    this.#threshold.level = level;
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

  child(fields: LogFields): PinoLogger {
    const instance = this.#pino.child({ ...cleanFields(fields) });
    return new PinoLogger({}, { instance, threshold: this.#threshold });
  }

  #write(level: Exclude<LogLevel, 'silent'>, message: string, fields: LogFields | undefined): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#threshold.level)) return;
    this.#pino[level](fields === undefined ? {} : cleanFields(fields), scrubText(message));
  }
}

function createPino({ destination }: PinoLoggerOptions): PinoInstance {
  const options: LoggerOptions = {
    // The logger itself compares levels, so that one change of the level reaches all children.
    level: 'debug',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
