import { isatty } from 'node:tty';
import { pino } from 'pino';
import { PinoLogger, textLine } from '../../adapters/logging/index.ts';
import type { LogLevel } from '../../adapters/logging/index.ts';
import type { HostConfig } from '../settings/config.ts';
import type { LogFields, Logger } from '../../core/index.ts';

/** The process's log, on standard error: standard output is for the results of commands. */
export interface ProcessLog {
  readonly logger: Logger;
  /** Sets the lowest level that is written from now on. */
  setLevel(level: LogLevel): void;
  /** Sets the form of the lines from now on: see the setting `logFormat`. */
  setFormat(format: HostConfig['logFormat']): void;
  /** Writes buffered lines; call it before the process ends. */
  flush(): void;
}

const STDERR = 2;

/** A person reads a terminal, a program reads everything else. */
const isTextFormat = (format: HostConfig['logFormat']): boolean =>
  format === 'auto' ? isatty(STDERR) : format === 'text';

/** Opens the log of this process. @param fields - fields that every line has */
export function openLog(
  fields: LogFields = {},
  level: LogLevel = 'info',
  format: HostConfig['logFormat'] = 'auto',
): ProcessLog {
  const destination = pino.destination({ fd: STDERR, sync: false });
  let isText = isTextFormat(format);
  const lines = { write: (line: string): unknown => destination.write(isText ? textLine(line) : line) };
  const logger = new PinoLogger({ level, destination: lines }).child(fields);
  return {
    logger,
    setLevel: (next) => logger.setLevel(next),
    setFormat: (next) => (isText = isTextFormat(next)),
    flush: () => {
      try {
        destination.flushSync();
      } catch (error) {
        // The output opens in the background, so right after the start it may not accept a flush yet.
        if (!/not ready/i.test((error as Error).message)) throw error;
      }
    },
  };
}
