import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** A gateway's young generation, both halves. 4 MB costs 5 % more time; 16 MB saves none and takes 5 MB more. */
const GATEWAY_BYTES = 8 * 1024 * 1024;
/** Keeps the young generation at its size however little of it is garbage. */
const SAME = '--semi-space-growth-factor=1';
const DOUBLE = '--semi-space-growth-factor=2';
/** The old generation's growth between full collections. Requests of a gateway leave little, so this costs no time. */
const SLOW_GROWTH = '--heap-growing-percent=20';
const USUAL_GROWTH = '--heap-growing-percent=0';

/**
 * The environment in which glibc gives freed memory back to the system, which saves 10 MB of what a start leaves. glibc reads
 * it before the program runs, so it is up to whoever starts a process.
 */
export const MALLOC_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

let enough = false;
let watch: PerformanceObserver | null = null;

/**
 * Loading a program makes much short-lived garbage. V8 then grows its young generation to the maximum and never shrinks
 * it, which costs an idle till 40 MB. So its size is fixed until there is work, and the old generation is collected
 * early.
 */
export function limitMemory(): void {
  setFlagsFromString(SAME);
  setFlagsFromString(SLOW_GROWTH);
}

/**
 * The buffers of a gateway are short-lived. In a small young generation V8 promotes them, which costs time and memory;
 * the largest one wastes 30 MB. So it grows to a fixed size once there is a gateway, and does so again after V8 has
 * shrunk it, as it does when idle.
 */
export function growYoungGenerationForGateway(): void {
  if (enough || watch !== null) return;
  let growth = SAME;
  const adjust = (): void => {
    const wanted = youngBytes() < GATEWAY_BYTES ? DOUBLE : SAME;
    if (enough || wanted === growth) return;
    growth = wanted;
    setFlagsFromString(growth);
  };
  adjust();
  watch = new PerformanceObserver(adjust);
  watch.observe({ entryTypes: ['gc'] });
}

/** Restores V8's default growth: a busy till then collects garbage less often. */
export function unlimitMemory(): void {
  enough = true;
  watch?.disconnect();
  setFlagsFromString(DOUBLE);
  setFlagsFromString(USUAL_GROWTH);
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? Infinity;
}
