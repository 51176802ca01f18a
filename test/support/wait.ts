import { setTimeout as pause } from 'node:timers/promises';

/** How {@link waitFor} waits. */
export interface WaitOptions {
  /** How long to go on asking, in milliseconds. */
  readonly timeoutMs?: number;
  /** The pause between two questions, in milliseconds. */
  readonly intervalMs?: number;
  /** What is awaited, for the message of the failure; a function is asked at the time of the failure. */
  readonly describe?: string | (() => string);
}

/**
 * Asks again and again until the condition answers with something truthy, and returns that answer. It stands where
 * a fixed sleep would make a test slow on a quick machine and flaky on a slow one.
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
