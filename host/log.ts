import { pino } from 'pino';
import { PinoLogger } from '../adapters/logging/index.ts';
import type { LogLevel } from '../adapters/logging/index.ts';
import type { LogFields, Logger } from '../core/index.ts';

/** The process's own log, on standard error: standard output belongs to what a command answers. */
export interface ProcessLog {
  readonly logger: Logger;
  /** Writes out what still waits; to be called before the process ends. */
  flush(): void;
}

/** Opens the log of this process. @param fields - what every line has */
export function openLog(fields: LogFields = {}, level: LogLevel = 'info'): ProcessLog {
  const destination = pino.destination({ fd: 2, sync: false });
  return {
    logger: new PinoLogger({ level, destination }).child(fields),
    flush: () => {
      try {
        destination.flushSync();
      } catch (error) {
        // The output opens in the background: right after the start it may not accept a flush yet.
        if (!/not ready/i.test((error as Error).message)) throw error;
      }
    },
  };
}
