import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Clock, Millis } from '../../core/index.ts';

/** The sources of time of a {@link SystemClock}, in milliseconds; tests replace them. */
export interface TimeSources {
  /** The wall clock, which an operator, a time server or a fault may set to anything. */
  readonly wall: () => number;
  /** Monotonic, but stops while the machine is suspended. */
  readonly steady: () => number;
  /** Since the machine was started, the time in suspension included; may be coarse and slow to read. */
  readonly uptime: () => number;
}

/** A jump of the wall clock that was not followed. */
export interface ClockJump {
  /** Wall clock minus the till's clock. */
  readonly differenceMs: number;
}

/** Settings of {@link SystemClock}; each has a default. */
export interface SystemClockOptions {
  /** Called once when the wall clock has jumped, and again only for another jump. */
  readonly onJump?: (jump: ClockJump) => void;
  readonly sources?: TimeSources;
}

const SYSTEM_SOURCES: TimeSources = {
  wall: () => Date.now(),
  steady: () => performance.now(),
  // Counts suspended time on Linux, macOS and Windows alike.
  uptime: () => uptime() * 1000,
};

/** In milliseconds: a wall clock that differs by more is not trusted. */
const JUMP_MS = 30_000;
/** In milliseconds: a shorter suspension is corrected gradually. */
const SUSPENSION_MS = 1000;
/** The shortest time between two comparisons of the clocks, in milliseconds. */
const CHECK_MS = 1000;
/** The rate at which a difference is corrected: one part in 200, so that no duration is wrong by more. */
const SLEW = 1 / 200;

/**
 * {@link Clock} that starts at the wall clock's time and then follows the machine's steady clock, so that setting the
 * wall clock expires no order and steals no lease.
 *
 * - A small difference, as time servers make, is worked off slowly; the time never goes back.
 * - A jump of more than 30 s is reported once and not followed: a restart accepts it.
 * - A suspended machine's missing time is followed, for it has truly passed: the uptime counts it where the steady clock does not.
 *   (A virtual machine restored from a snapshot counts it nowhere; that looks like a jump, and is treated as one.)
 *
 * No timer runs; the clocks are compared at each read of the time.
 */
export class SystemClock implements Clock {
  readonly #sources: TimeSources;
  readonly #onJump: (jump: ClockJump) => void;
  #time: number;
  #steady: number;
  #checkedAt: number;
  /** Uptime minus steady time: grows by what the machine was suspended. */
  #suspended: number;
  /** The difference that still has to be corrected, in milliseconds. */
  #slew = 0;
  #reported: number | null = null;

  constructor({ onJump = () => undefined, sources = SYSTEM_SOURCES }: SystemClockOptions = {}) {
    this.#sources = sources;
    this.#onJump = onJump;
    this.#steady = sources.steady();
    this.#time = sources.wall();
    this.#checkedAt = this.#steady;
    this.#suspended = sources.uptime() - this.#steady;
  }

  now(): Millis {
    this.#advance();
    const difference = this.#sources.wall() - this.#time;
    // A resumed machine cannot wait: its first caller must not get an old time.
    const moved = Math.abs(difference - (this.#reported ?? this.#slew)) >= SUSPENSION_MS;
    if (moved || this.#steady - this.#checkedAt >= CHECK_MS) this.#check(difference);
    return Math.floor(this.#time);
  }

  /** Wall clock minus this clock where it was reported as a jump; 0 while they agree. */
  get unfollowedMs(): number {
    return this.#reported ?? 0;
  }

  #advance(): void {
    const steady = this.#sources.steady();
    const elapsed = Math.max(0, steady - this.#steady);
    const limit = elapsed * SLEW;
    const correction = Math.min(limit, Math.max(-limit, this.#slew));
    this.#slew -= correction;
    this.#time += elapsed + correction;
    this.#steady = steady;
  }

  #check(difference: number): void {
    this.#checkedAt = this.#steady;
    const suspended = this.#sources.uptime() - this.#steady;
    const away = suspended - this.#suspended;
    this.#suspended = suspended;
    // Both clocks must show the suspension, since one of them alone may be wrong.
    const followed = away >= SUSPENSION_MS ? Math.min(away, Math.max(0, difference)) : 0;
    this.#time += followed;
    this.#compare(difference - followed);
  }

  #compare(difference: number): void {
    if (Math.abs(difference) <= JUMP_MS) {
      this.#slew = difference;
      this.#reported = null;
      return;
    }
    this.#slew = 0;
    const known = this.#reported !== null && Math.abs(difference - this.#reported) <= JUMP_MS;
    this.#reported = difference;
    if (!known) this.#onJump({ differenceMs: Math.round(difference) });
  }
}
