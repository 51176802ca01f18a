import { startOfDay, startOfMonth } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { UsageBatch, UsageStore } from '../ports/usage-store.ts';
import type { Quotas } from './quotas.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface UsageRecorderDeps {
  readonly meter: UsageMeter;
  readonly quotas: Quotas;
  readonly usage: Pick<UsageStore, 'add' | 'windowUnits'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A name that no instance had before: its batches count from 1. */
  readonly instance: string;
  /** The most rows of one transaction. */
  readonly maxRows?: number;
}

/** Between two passes, in milliseconds: a process that is killed loses what it counted since. */
export const USAGE_INTERVAL_MS = 500;
/** Thirteen months: a month can be compared with the same of the year before. */
export const DEFAULT_USAGE_RETENTION_DAYS = 400;
const MAX_ROWS = 5_000;
const APPS_AT_ONCE = 1_000;

/**
 * Adds what this instance counted to the database. A batch that could not be added, or may have been, is kept and added
 * again under the same number before anything else; meanwhile the meter counts on within its own bounds. Then it reads
 * what all instances have counted for the Apps with a quota.
 */
export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  #batch: UsageBatch | null = null;
  #number = 0;
  #running: Promise<void> = Promise.resolve();
  #reported = 0;

  constructor(deps: UsageRecorderDeps) {
    this.#deps = deps;
  }

  /** Adds everything that was counted before the call, and reads the quotas' use. @throws TillgateError `NOT_READY`; nothing is lost */
  run(): Promise<void> {
    // One after another, also where the process ends during a pass.
    const pass = this.#running.then(() => this.#pass());
    this.#running = pass.catch(() => undefined);
    return pass;
  }

  async #pass(): Promise<void> {
    const { usage } = this.#deps;
    this.#report();
    for (this.#batch ??= this.#next(); this.#batch !== null; this.#batch = this.#next()) await usage.add(this.#batch);
    await this.#readQuotas();
  }

  async #readQuotas(): Promise<void> {
    const { quotas, usage, meter, clock } = this.#deps;
    const asked = quotas.asked();
    for (let start = 0; start < asked.length; start += APPS_AT_ONCE) {
      const apps = asked.slice(start, start + APPS_AT_ONCE);
      const now = clock.now();
      quotas.read(apps, await usage.windowUnits(apps, startOfDay(now), startOfMonth(now)), meter, now);
    }
  }

  #next(): UsageBatch | null {
    const { meter, instance, maxRows = MAX_ROWS } = this.#deps;
    const rows = meter.take(maxRows);
    return rows.length === 0 ? null : { instance, number: ++this.#number, rows };
  }

  #report(): void {
    const { meter, logger } = this.#deps;
    if (meter.lost === this.#reported) return;
    logger.error('calls were not counted: usage has waited too long for the database', {
      calls: meter.lost - this.#reported,
    });
    this.#reported = meter.lost;
  }
}
