import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The limit of the young generation of a gateway, both halves; 8 MB cost it 1.5 % more time, 32 MB would save 1 % and take 8 MB. */
const GATEWAY_BYTES = 16 * 1024 * 1024;
const SAME = '--semi-space-growth-factor=1';
const DOUBLE = '--semi-space-growth-factor=2';
/** How much what lives longer may grow between two full collections. Requests of a gateway leave little, so this costs no time. */
const SLOW_GROWTH = '--heap-growing-percent=20';
const USUAL_GROWTH = '--heap-growing-percent=0';

let enough = false;
let watch: PerformanceObserver | null = null;

/**
 * Loading a program makes much short-lived garbage. V8 then grows its young generation to the maximum and never shrinks
 * it, which costs an idle till 40 MB. So it keeps its size until there is work, and what lives longer is collected soon.
 */
export function limitMemory(): void {
  setFlagsFromString(SAME);
  setFlagsFromString(SLOW_GROWTH);
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

/** Lets the memory grow with the work, as by default: a busy till then collects garbage less often. */
export function unlimitMemory(): void {
  enough = true;
  watch?.disconnect();
  setFlagsFromString(DOUBLE);
  setFlagsFromString(USUAL_GROWTH);
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
