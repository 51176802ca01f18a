import type { ProcessLog } from './log.ts';

/**
 * The process exits this long after a stop signal even when work still runs: it must be gone 10 seconds after SIGTERM.
 */
const LONGEST_STOP_MS = 9500;

export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * The first signal starts the shutdown, which resolves with 0.
 *
 * @param second - whether a second signal exits at once or is ignored. One of several processes may receive the same
 * signal both from the primary and from a sender that signals the whole group.
 */
export function stopOnSignal(running: Stoppable, log: ProcessLog, second: 'end' | 'nothing'): Promise<number> {
  return new Promise((resolve, reject) => {
    let asked = false;
    const end = (code: number): void => {
      log.flush();
      process.exit(code);
    };
    const onSignal = (): void => {
      if (asked) {
        if (second === 'end') end(1);
        return;
      }
      asked = true;
      setTimeout(() => end(0), LONGEST_STOP_MS).unref();
      running.stop().then(() => resolve(0), reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Ends the process at an uncaught error, which is a defect: a restart is safe, continuing is not. */
export function endOnUncaughtError(log: ProcessLog): void {
  const exit = (error: unknown): void => {
    log.logger.error('uncaught error: the process exits and can be restarted safely', { error });
    log.flush();
    process.exit(70);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}
