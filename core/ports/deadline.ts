import { token } from './token.ts';

/** A signal that aborts after that many milliseconds; the core uses no timers. */
export type Deadline = (ms: number) => AbortSignal;

export const DEADLINE = token<Deadline>('Deadline');
