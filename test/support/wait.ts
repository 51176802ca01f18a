import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  /** The maximum wait, in milliseconds. */
  readonly timeoutMs?: number;
  /** The pause between two checks, in milliseconds. */
  readonly intervalMs?: number;
  /** A description for the failure's message; a function is called at the time of the failure. */
  readonly describe?: string | (() => string);
}

/**
 * Repeats the condition until it returns a truthy value, and returns that value. Use it instead of a fixed sleep, which
 * makes tests slow on a quick machine and flaky on a slow one.
 *
 * @param condition - may be asynchronous; an error it throws counts as "not yet" and is the cause of a failure
 * @throws Error when the time is up
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 30_000, intervalMs = 10, describe = 'the condition' }: WaitOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      cause = undefined;
      const answer = await condition();
      if (answer) return answer as Exclude<T, false | null | undefined>;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) break;
    await pause(intervalMs);
  }
  const what = typeof describe === 'string' ? describe : describe();
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause });
}

/** Waits for the next second: a payment in a block of the same second would count as earlier. */
export async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  await waitFor(() => Math.floor(Date.now() / 1000) > second, { describe: 'the next second' });
}
