import type { Clock, Millis } from '../../core/index.ts';
import type { SystemClock } from './system-clock.ts';

/** The differences of an instance's clocks from the reference, in milliseconds; positive when they are behind it. */
export interface ClockDifference {
  /** For the machine's clock: the one that the till started with, or the wall clock when that is correct by now. */
  readonly machineMs: number;
  /** For the till's clock, which is anchored to the reference. */
  readonly anchoredMs: number;
}

/** A larger difference is no drift: it is not followed while the till runs. */
const FOLLOWED_MS = 5_000;
/** The part of a drift, in milliseconds, that is corrected at each comparison. */
const STEP_MS = 25;

/**
 * {@link Clock} that runs with the machine's steady clock and takes its time from the database, so that all instances have one
 * clock, however their machines are set.
 *
 * The first comparison sets it. After that it follows slowly, and not at all when the database's clock jumps: nothing
 * expires early because somebody set a clock. It never goes back.
 */
export class AnchoredClock implements Clock {
  readonly #machine: SystemClock;
  /** The reference less the machine's clock; `null` before the first comparison. */
  #offset: number | null = null;
  #latest: Millis = -Infinity;

  constructor(machine: SystemClock) {
    this.#machine = machine;
  }

  now(): Millis {
    this.#latest = Math.max(this.#latest, Math.floor(this.#machine.now() + (this.#offset ?? 0)));
    return this.#latest;
  }

  /** Compares with the reference's present time, and follows it. */
  anchor(reference: Millis): ClockDifference {
    const started = reference - this.#machine.now();
    const wall = started - this.#machine.unfollowedMs;
    this.#follow(started);
    return {
      machineMs: Math.abs(wall) < Math.abs(started) ? wall : started,
      anchoredMs: reference - this.now(),
    };
  }

  #follow(offset: number): void {
    if (this.#offset === null) {
      this.#offset = offset;
      this.#latest = -Infinity;
      return;
    }
    const drift = offset - this.#offset;
    if (Math.abs(drift) <= FOLLOWED_MS) this.#offset += Math.min(STEP_MS, Math.max(-STEP_MS, drift));
  }
}
