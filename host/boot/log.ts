import { pino } from 'pino';
import { PinoLogger } from '../../adapters/logging/index.ts';
import type { LogLevel } from '../../adapters/logging/index.ts';
import type { LogFields, Logger } from '../../core/index.ts';

/** The process's log, on standard error: standard output is for the results of commands. */
export interface ProcessLog {
  readonly logger: Logger;
  /** Sets the lowest level that is written from now on. */
  setLevel(level: LogLevel): void;
  /** Writes buffered lines; call it before the process ends. */
  flush(): void;
}

/** Opens the log of this process. @param fields - fields that every line has */
export function openLog(fields: LogFields = {}, level: LogLevel = 'info'): ProcessLog {
  const destination = pino.destination({ fd: 2, sync: false });
  const logger = new PinoLogger({ level, destination }).child(fields);
  return {
    logger,
    setLevel: (next) => logger.setLevel(next),
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
