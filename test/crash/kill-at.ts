import { writeSync } from 'node:fs';
import type { CrashPoint } from './crash-point.ts';
import type { Observe } from './observe-ports.ts';

/** Standard error, which is written to synchronously. */
export const STDERR = 2;

/**
 * Kills this process when it reaches a point.
 *
 * @param armed - the name of the point; an empty one for none
 */
export function killAt(points: Readonly<Record<string, CrashPoint>>, armed: () => string): Observe {
  return (moment, { path, args, statements }) => {
    const point = points[armed()];
    if (point?.moment !== moment || point.call !== path || !point.matches(args)) return;
    if (point.statement !== undefined && point.statement !== statements) return;
    writeSync(STDERR, `killed at ${armed()}\n`);
    process.kill(process.pid, 'SIGKILL');
    // Nothing more may happen until the signal arrives.
    for (;;);
  };
}
