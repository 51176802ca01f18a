import type { Millis } from './time.ts';
import { token } from './token.ts';

/** The only source of time. */
export interface Clock {
  /** Epoch milliseconds. Never jumps by more than one step of the machine's monotonic clock. */
  now(): Millis;
}

export const CLOCK = token<Clock>('Clock');
