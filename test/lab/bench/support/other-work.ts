import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** What a look at the processors takes. */
const LOOK_MS = 2_000;
/** How long is waited for a machine that is still busy. */
const PATIENCE_MS = 120_000;

/** The share of all processors that other work may take; above it no figure is judged or kept. */
export const MOST_BUSY = 0.1;

let lastSeen = NaN;

/** The share of the processors that was busy before the bench, from 0 to 1. */
export const busyBefore = (): number => lastSeen;

/** Waits until the machine has no other work, a while at most, and notes how busy it is then. */
export async function waitForQuiet(): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  do lastSeen = await busyShare();
  while (lastSeen > MOST_BUSY && performance.now() < end);
}

async function busyShare(): Promise<number> {
  const before = spent();
  await pause(LOOK_MS);
  const after = spent();
  return (after.busy - before.busy) / (after.all - before.all);
}

/** Milliseconds of all processors since the start of the machine. */
function spent(): { readonly busy: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((time) => Object.values(time)).reduce((sum, ms) => sum + ms, 0);
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
}
