/**
 * What test files of a test run get in place of `node:test`: it collects what a file registers while it is imported, and passes
 * it on in the suite of that file once all files of the process are imported.
 *
 * node:test finds the suite of a call by following every promise from its beginning to its end with an asynchronous hook. That takes a
 * fifth of the processor time of tests with many promises, and puts tests into the suite of another file where both wait for one module
 * with a top-level `await`. Here each call belongs to the file that is being imported, and the hook is on only while suites are
 * registered. A running test has its context: `t.test`, `t.after`. An error that nobody catches still fails the process with its
 * message, but without the name of a test.
 */
import asyncHooks from 'node:async_hooks';
import type { AsyncHook } from 'node:async_hooks';

const hooks: AsyncHook[] = [];
// node:test reads this function when it is loaded, and calls it at the first suite.
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  hooks.push(hook);
  return hook;
};
const real = await import('node:test');
asyncHooks.createHook = createHook;

/** What the file that is being imported has registered; `null` when none is. */
let collected: (() => unknown)[] | null = null;
let registering = false;

function passedOn<Args extends readonly unknown[]>(name: string, call: (...args: Args) => unknown) {
  return (...args: Args): Promise<void> => {
    if (registering) void call(...args);
    else if (collected !== null) collected.push(() => call(...args));
    else throw new Error(`${name}() of node:test was called in a running test, which has its context for that`);
    return Promise.resolve();
  };
}

export const { mock } = real;
export const describe = passedOn('describe', real.describe);
export const test = passedOn('test', real.test);
export const it = passedOn('it', real.it);
export const before = passedOn('before', real.before);
export const after = passedOn('after', real.after);
export const beforeEach = passedOn('beforeEach', real.beforeEach);
export const afterEach = passedOn('afterEach', real.afterEach);

/** A test file: the name of its suite, and what imports it. */
type TestFile = readonly [name: string, importFile: () => Promise<unknown>];

/** Imports test files, one after the other, and puts the tests of each into a suite, so that hooks at its top are that file's own. */
export async function register(files: readonly TestFile[]): Promise<void> {
  const suites: (readonly [string, readonly (() => unknown)[]])[] = [];
  for (const [name, importFile] of files) suites.push([name, await collect(importFile)]);
  registering = true;
  for (const [name, registrations] of suites)
    void real.describe(name, () => {
      for (const registration of registrations) registration();
    });
  registering = false;
  for (const hook of hooks) hook.disable();
}

async function collect(importFile: () => Promise<unknown>): Promise<readonly (() => unknown)[]> {
  const found: (() => unknown)[] = [];
  collected = found;
  try {
    await importFile();
    return found;
  } catch (error) {
    return [
      () => {
        throw error;
      },
    ];
  } finally {
    collected = null;
  }
}
