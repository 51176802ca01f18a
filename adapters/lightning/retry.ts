const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 15_000;
/** A run of this length counts as a success, even without an event. */
const SUCCESS_MS = 60_000;

/**
 * Runs long-lived work again whenever it ends, with exponential backoff.
 *
 * @param work - calls its argument on success, which resets the backoff
 * @param failed - called for the first of consecutive failures, before the pause
 */
export function retry(
  work: (alive: () => void) => Promise<void>,
  signal: AbortSignal,
  failed: (error: Error) => void,
): void {
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  const alive = (): void => void (pause = FIRST_PAUSE_MS);
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const attempt = async (): Promise<void> => {
    const began = performance.now();
    try {
      await work(alive);
    } catch (error) {
      if (!signal.aborted && pause === FIRST_PAUSE_MS)
        failed(error instanceof Error ? error : new Error(String(error)));
    }
    if (signal.aborted) return;
    if (performance.now() - began > SUCCESS_MS) alive();
    timer = setTimeout(() => void attempt(), pause);
    timer.unref();
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };
  void attempt();
}
