/**
 * Loaded before a test file, it measures what each of its tests runs: `node --import .../attribute.js file.test.js`, with the file
 * to write in MUTATION_REACH. What runs while no test does, as setups that tests share, is kept under no name.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import type { Profiler } from 'node:inspector';
import { afterEach, beforeEach } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/** What a part of a test file runs. */
export interface Part {
  /** `null` for what belongs to no test. */
  readonly test: string | null;
  readonly ms: number;
  readonly coverage: readonly Profiler.ScriptCoverage[];
}

/** The files that are looked at: a part of their URLs. */
const WANTED = /\/(core|adapters)\//;

function measure(path: string): void {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const parts: Part[] = [];
  const running: string[] = [];
  let since = performance.now();
  const take = (): void => {
    session.post('Profiler.takePreciseCoverage', (error, found) => {
      if (error !== null) throw error;
      const coverage = found.result.filter(
        ({ url, functions }) =>
          WANTED.test(url) && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
      );
      const ms = performance.now() - since;
      for (const test of running.length === 0 ? [null] : running) parts.push({ test, ms, coverage });
    });
    since = performance.now();
  };
  beforeEach(({ name }) => {
    take();
    running.push(name);
  });
  afterEach(({ name }) => {
    take();
    running.splice(running.indexOf(name), 1);
  });
  process.once('exit', () => {
    take();
    writeFileSync(path, JSON.stringify(parts));
  });
}

const { MUTATION_REACH: target } = process.env;
// Processes that the test starts are not for it: all of their coverage belongs to no test.
delete process.env['MUTATION_REACH'];
if (target !== undefined && isMainThread) measure(target);
