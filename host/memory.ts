import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The size of a gateway's young generation, both halves. With 4 MB it takes 5 % more time, and no less with 16 MB, which take 5 MB more. */
const GATEWAY_BYTES = 8 * 1024 * 1024;
/** How many times as large the young generation becomes when too little of it is garbage. */
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
 * the largest one wastes 30 MB. So it grows to a certain size once there is a gateway, and does so again after V8 has made it
 * smaller, as it does while there is nothing to do.
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

/** Lets the memory grow with the work, as by default: a busy till then collects garbage less often. */
export function unlimitMemory(): void {
  enough = true;
  watch?.disconnect();
  setFlagsFromString(DOUBLE);
  setFlagsFromString(USUAL_GROWTH);
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? Infinity;
}
