const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 15_000;
/** What lasted this long was of use, though it had nothing to tell. */
const SOUND_MS = 60_000;

/**
 * Does something that lasts, again whenever it ends, with pauses that grow while it ends at once.
 *
 * @param work - calls its argument whenever it is of use
 * @param failed - told of the first failure in a row, before the pause
 */
export function retry(work: (alive: () => void) => Promise<void>, signal: AbortSignal, failed: (error: Error) => void): void {
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  const alive = (): void => void (pause = FIRST_PAUSE_MS);
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const attempt = async (): Promise<void> => {
    const began = performance.now();
    try {
      await work(alive);
    } catch (error) {
      if (!signal.aborted && pause === FIRST_PAUSE_MS) failed(error instanceof Error ? error : new Error(String(error)));
    }
    if (signal.aborted) return;
    if (performance.now() - began > SOUND_MS) alive();
    timer = setTimeout(() => void attempt(), pause);
    timer.unref();
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };
  void attempt();
}
