import { token } from './token.ts';

/** A signal that aborts after so many milliseconds; the core has no timer of its own. */
export type Deadline = (ms: number) => AbortSignal;

export const DEADLINE = token<Deadline>('Deadline');
