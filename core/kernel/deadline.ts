import { token } from './token.ts';

/** Returns a signal that aborts after this many milliseconds, since core uses no timers. */
export type Deadline = (ms: number) => AbortSignal;

export const DEADLINE = token<Deadline>('Deadline');
