import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The limit of the young generation of a gateway, both halves; more saves it hardly any time. */
const GATEWAY_BYTES = 8 * 1024 * 1024;
const SAME = '--semi-space-growth-factor=1';
const DOUBLE = '--semi-space-growth-factor=2';

let enough = false;
let watch: PerformanceObserver | null = null;

/**
 * Loading a program makes much short-lived garbage. V8 then grows its young generation to the maximum and never shrinks
 * it, which costs an idle till 40 MB. So it keeps its size until there is work.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString(SAME);
}

/**
 * The buffers of a gateway are short-lived. In a small young generation V8 promotes them, which costs time and memory;
 * the largest one wastes 30 MB. So it grows up to a limit once there is a gateway.
 */
export function growYoungGenerationForGateway(): void {
  if (enough || watch !== null) return;
  setFlagsFromString(DOUBLE);
  watch = new PerformanceObserver(() => {
    if (enough || youngBytes() < GATEWAY_BYTES) return;
    watch?.disconnect();
    setFlagsFromString(SAME);
  });
  watch.observe({ entryTypes: ['gc'] });
}

/** Lets the young generation grow with the work, as by default: a busy till then collects garbage less often. */
export function unlimitYoungGeneration(): void {
  enough = true;
  watch?.disconnect();
  setFlagsFromString(DOUBLE);
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
