import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves of the young generation, once it may not grow any more: more saves a gateway hardly any time. */
const MODEST_BYTES = 8 * 1024 * 1024;
const SAME = '--semi-space-growth-factor=1';
const DOUBLE = '--semi-space-growth-factor=2';

let enough = false;
let watch: PerformanceObserver | null = null;

/**
 * Loading a program makes much short-lived garbage, for which V8 grows its young generation to its maximum and never
 * gives it back: 40 MB of an idle till. Until there is work, the young generation keeps its size.
 */
export function loadInLittleMemory(): void {
  setFlagsFromString(SAME);
}

/**
 * What a gateway passes on dies young. In too small a young generation it is taken for what stays, which costs time and
 * more memory than it saves; in the largest one 30 MB are never needed. So it grows once there is a gateway, not far.
 */
export function passOnInModestMemory(): void {
  if (enough || watch !== null) return;
  setFlagsFromString(DOUBLE);
  watch = new PerformanceObserver(() => {
    if (enough || youngBytes() < MODEST_BYTES) return;
    watch?.disconnect();
    setFlagsFromString(SAME);
  });
  watch.observe({ entryTypes: ['gc'] });
}

/** From now on the young generation grows with the work, as by default: a busy till collects garbage less often. */
export function workInEnoughMemory(): void {
  enough = true;
  watch?.disconnect();
  setFlagsFromString(DOUBLE);
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
