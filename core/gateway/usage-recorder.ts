import type { AppId, Clock, Logger, Metrics } from '../kernel/index.ts';
import { startOfDay, startOfMonth, Turns } from '../kernel/index.ts';
import type { PrepaidStore } from './prepaid-store.ts';
import type { UsageBatch, UsageStore } from './usage-store.ts';
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
  /** A name that no instance had before; its batches count from 1. */
  readonly instance: string;
  /** The most rows of one transaction. */
  readonly maxRows?: number;
}

/** The interval between two passes, in milliseconds. A killed process loses what it counted since the last one. */
export const USAGE_INTERVAL_MS = 500;
/** Thirteen months, so that a month can be compared with the same month of the year before. */
export const DEFAULT_USAGE_RETENTION_DAYS = 400;
const MAX_ROWS = 5_000;
const APPS_AT_ONCE = 1_000;

/**
 * Stores what this instance counted. A batch that failed, or whose outcome is unknown, is kept and added again under
 * the same number before anything else; meanwhile the meter continues to count within its bounds. Then it reads the
 * total usage of Apps with a quota, and the remaining units of prepaid ones.
 */
export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  readonly #maxRows: number;
  #batch: UsageBatch | null = null;
  #number = 0;
  /** Passes run one after another, also while the process shuts down. */
  readonly #turns = new Turns();
  #reported = 0;
  /** The next pass, for requests that wait for it. */
  #next: Promise<void> | null = null;

  constructor(deps: UsageRecorderDeps) {
    this.#deps = deps;
    this.#maxRows = deps.maxRows ?? MAX_ROWS;
    deps.allowance.readBy(() => this.#readSoon());
  }

  /**
   * Stores everything that was counted before the call, and reads the usage of Apps. @throws TillgateError `NOT_READY`;
   * nothing is lost
   */
  run(): Promise<void> {
    return this.#turns.run(() => this.#pass());
  }

  /** All requests before the start of a pass share it. */
  #readSoon(): Promise<void> {
    this.#next ??= this.#turns.run(async () => {
      this.#next = null;
      try {
        await this.#pass();
      } catch (error) {
        this.#deps.logger.warn('the remaining units of Apps could not be read', { error });
      }
    });
    return this.#next;
  }

  async #pass(): Promise<void> {
    this.#report();
    await this.#addBatch();
    // Calls continue meanwhile: only after a full batch can earlier counts be left.
    do this.#batch = this.#nextBatch();
    while ((await this.#addBatch()) === this.#maxRows);
    await this.#readQuotas();
    await this.#readPrepaid();
  }

  /** Adds the waiting batch, if there is one, and drops it once it is certainly stored. Returns its number of rows. */
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

  #nextBatch(): UsageBatch | null {
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
