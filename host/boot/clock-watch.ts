import { performance } from 'node:perf_hooks';
import { raiseAlert } from '../../core/index.ts';
import type { AlertChannels, Clock, LeaseStore } from '../../core/index.ts';
import { AnchoredClock } from '../../adapters/system/index.ts';

export interface ClockWatchDeps extends AlertChannels {
  readonly clock: Clock;
  readonly leases: Pick<LeaseStore, 'now'>;
  readonly owner: string;
}

/** An instance whose clock differs by more holds no leases. */
const TOLERATED_MS = 5_000;
/** A comparison with a slower answer is discarded as too imprecise. */
const LONGEST_ROUND_TRIP_MS = 2_000;
/** The interval at which the clocks are compared. */
export const CLOCK_WATCH_INTERVAL_MS = 5_000;

/**
 * Keeps the till's clock at the database's time. An instance whose machine clock is wrong reports it and holds no
 * leases until both agree; meanwhile it answers requests by the database's time.
 *
 * A clock that the embedder supplies is never compared, and neither is a database inside this process.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #compared = false;
  #differenceMs = 0;
  #agrees = true;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
  }

  /** Whether this instance may hold leases. */
  readonly agrees = (): boolean => this.#agrees;

  /** A description of the difference; `null` while the clocks agree. */
  get problem(): string | null {
    if (this.#agrees) return null;
    const seconds = Math.round(Math.abs(this.#differenceMs) / 100) / 10;
    return (
      `the clock of this machine and the database's differ by ${seconds} s: this instance works by the database's time, and ` +
      'leaves background work to others until both agree. Check the time service (NTP) of both machines'
    );
  }

  /** Compares the clocks. @throws TillgateError `NOT_READY` while the database cannot be reached */
  async measure(): Promise<void> {
    const { clock, leases, metrics } = this.#deps;
    if (!(clock instanceof AnchoredClock)) return;
    const began = performance.now();
    const reference = await leases.now();
    const roundTrip = performance.now() - began;
    if (reference === null || (this.#compared && roundTrip > LONGEST_ROUND_TRIP_MS)) return;
    const { machineMs, anchoredMs } = clock.anchor(reference + roundTrip / 2);
    this.#compared = true;
    this.#differenceMs = Math.abs(anchoredMs) > Math.abs(machineMs) ? anchoredMs : machineMs;
    metrics.gauge('tillgate_clock_difference_seconds', this.#differenceMs / 1_000);
    this.#judge(Math.abs(this.#differenceMs) - roundTrip / 2 <= TOLERATED_MS);
  }

  #judge(agrees: boolean): void {
    const { logger, owner } = this.#deps;
    const before = this.#agrees;
    this.#agrees = agrees;
    if (agrees && !before) logger.info('the clocks of this machine and the database agree again');
    if (!agrees && before) raiseAlert(this.#deps, 'clock', `instance ${owner}`, `${this.problem}.`);
  }
}
