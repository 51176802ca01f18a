import type { AppId } from '../kernel/ids.ts';
import { startOfDay, startOfMonth } from '../kernel/time.ts';
import { Turns } from '../kernel/turns.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { PrepaidStore } from '../ports/prepaid-store.ts';
import type { UsageBatch, UsageStore } from '../ports/usage-store.ts';
import type { Allowance } from './allowance.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface UsageRecorderDeps {
  readonly meter: UsageMeter;
  readonly allowance: Allowance;
  readonly usage: Pick<UsageStore, 'add' | 'windowUnits'>;
  readonly prepaid: Pick<PrepaidStore, 'ofApps'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
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
 * what all instances have counted for the Apps with a quota, and what prepaid ones have left.
 */
export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  readonly #maxRows: number;
  #batch: UsageBatch | null = null;
  #number = 0;
  /** One pass after another, also where the process ends during one. */
  readonly #turns = new Turns();
  #reported = 0;

  constructor(deps: UsageRecorderDeps) {
    this.#deps = deps;
    this.#maxRows = deps.maxRows ?? MAX_ROWS;
  }

  /** Adds everything that was counted before the call, and reads what Apps have left. @throws TillgateError `NOT_READY`; nothing is lost */
  run(): Promise<void> {
    return this.#turns.run(() => this.#pass());
  }

  async #pass(): Promise<void> {
    this.#report();
    await this.#addBatch();
    // Calls go on meanwhile: only a full batch has left some of those that were counted before.
    do this.#batch = this.#next();
    while ((await this.#addBatch()) === this.#maxRows);
    await this.#readQuotas();
    await this.#readPrepaid();
  }

  /** Adds the batch that waits, if there is one; it is gone once that is sure. Returns its rows. */
  async #addBatch(): Promise<number> {
    const batch = this.#batch;
    if (batch === null) return 0;
    await this.#deps.usage.add(batch);
    this.#batch = null;
    for (const { route, appId: app, units } of batch.rows)
      if (units > 0) this.#deps.metrics.count('tillgate_gateway_units_total', { route, app }, units);
    return batch.rows.length;
  }

  async #readQuotas(): Promise<void> {
    const { allowance, usage, meter, clock } = this.#deps;
    for (const apps of inParts(allowance.quotas.asked())) {
      const now = clock.now();
      allowance.quotas.read(apps, await usage.windowUnits(apps, startOfDay(now), startOfMonth(now)), meter, now);
    }
  }

  async #readPrepaid(): Promise<void> {
    const { allowance, prepaid, meter } = this.#deps;
    for (const apps of inParts(allowance.prepaid.asked()))
      allowance.prepaid.read(apps, await prepaid.ofApps(apps), meter);
  }

  #next(): UsageBatch | null {
    const { meter, instance } = this.#deps;
    const rows = meter.take(this.#maxRows);
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

function* inParts(apps: readonly AppId[]): Generator<readonly AppId[]> {
  for (let start = 0; start < apps.length; start += APPS_AT_ONCE) yield apps.slice(start, start + APPS_AT_ONCE);
}
