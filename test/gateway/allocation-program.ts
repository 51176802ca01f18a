/**
 * A gateway in a process of its own: `allocation-program.ts UPSTREAM_URL` says its port; at each message it says what it
 * has allocated since the last one, in bytes of the JavaScript heap, and how many promises it has made.
 */
import { createHook } from 'node:async_hooks';
import { PerformanceObserver } from 'node:perf_hooks';
import { routeOf, startGateway } from './support.ts';

/** What was made between two messages. */
export interface Made {
  readonly bytes: number;
  readonly promises: number;
  /** With any of them the bytes are not known. */
  readonly collections: number;
}

const [upstream = ''] = process.argv.slice(2);
const limits = { requestsPerSecond: 1_000_000, burst: 1_000_000, concurrency: 1_000 };
const gate = await startGateway([routeOf([upstream], { limits })]);
let [promises, collections, used, since] = [0, 0, 0, 0];
createHook({ init: (_id, type) => void (promises += type === 'PROMISE' ? 1 : 0) }).enable();
new PerformanceObserver((list) => {
  // Those that are asked for below are reported afterwards.
  collections += list.getEntries().filter(({ startTime }) => startTime > since).length;
}).observe({ entryTypes: ['gc'] });

process.on('message', () => {
  const bytes = process.memoryUsage().heapUsed - used;
  const made: Made = { bytes, promises, collections };
  process.send?.(made);
  globalThis.gc?.();
  [promises, collections, used, since] = [0, 0, process.memoryUsage().heapUsed, performance.now()];
});
process.on('disconnect', () => process.exit(0));
process.send?.(gate.port);
