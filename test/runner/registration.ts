/**
 * The suites of a process, one for each of its test files.
 *
 * node:test follows every promise from its beginning to its end with an asynchronous hook, so that a call of `test` finds the suite
 * that it belongs to. That takes a fifth of the processor time of tests with many promises, and nothing needs it after the files
 * have been imported: a running test passes its context on itself. So the hook ends then. An error that nobody catches still fails
 * the process, with its stack trace, but without the name of a test.
 */
import asyncHooks from 'node:async_hooks';
import type { AsyncHook } from 'node:async_hooks';

const hooks: AsyncHook[] = [];
const files: Promise<unknown>[] = [];

// node:test reads this function when it is loaded, and calls it at the first suite: this module has to be evaluated before it.
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  hooks.push(hook);
  return hook;
};
const { describe } = await import('node:test');
asyncHooks.createHook = createHook;

/** Puts the tests of a file into a suite, so that hooks at the top of the file are that file's own. */
export function suite(name: string, importFile: () => Promise<unknown>): void {
  void describe(name, async () => {
    const imported = importFile();
    files.push(imported);
    await imported;
  });
}

/** Waits until the files of all suites are imported, and ends the hook. */
export async function registered(): Promise<void> {
  await Promise.allSettled(files);
  for (const hook of hooks) hook.disable();
}
