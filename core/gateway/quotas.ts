import type { AppId, Clock, Millis } from '../kernel/index.ts';
import type { WindowUnits } from './usage-store.ts';
import type { AppView } from './admission.ts';
import { windowAt } from './quota.ts';
import type { Quota, QuotaWindow } from './quota.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { UsageMeter } from './usage-meter.ts';

/** The usage of an App in the present window of its quota. */
interface QuotaUse {
  readonly window: QuotaWindow;
  readonly start: Millis;
  readonly end: Millis;
  /** Usage according to the database, with the batches of all instances. */
  stored: number;
  /** Units counted here that are not in `stored`. */
  own: number;
  /** False before the first read, for an App that is new on this instance. */
  read: boolean;
  /** True when a request has needed the usage since the database was read. */
  asked: boolean;
}

const MAX_USES = 200_000;

/**
 * The quotas of Apps. Each instance decides by its own counts and by the database, which it reads twice a second. Usage
 * beyond a quota in between is still counted. Only the first request of an App waits until its usage was read; if the
 * read failed, it passes, since a quota is no payment.
 *
 * Usage stays in memory until its window ends: an exhausted App whose usage was evicted would be admitted again.
 */
export class Quotas {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #uses = new Map<AppId, QuotaUse>();

  constructor(clock: Clock, max = MAX_USES) {
    this.#clock = clock;
    this.#max = max;
  }

  /** The refusal of calls that cost this many units; calls that cost nothing are never refused. */
  check({ id, quota }: AppView, units: number): Refusal | null {
    if (quota === null || units === 0) return null;
    const now = this.#clock.now();
    const use = this.#use(id, quota, now);
    if (use.stored + use.own + units <= quota.units) return null;
    return refuse('quota_exceeded', {
      rpcCode: -32005,
      message: `These calls exceed the quota of the App: ${quota.units} units per ${quota.window} (UTC).`,
      retryAfterSeconds: Math.max(1, Math.ceil((use.end - now) / 1000)),
    });
  }

  /** False, and requests a read, when the usage of an App was not read yet. */
  isRead({ id, quota }: AppView): boolean {
    return quota === null || this.#use(id, quota, this.#clock.now()).read;
  }

  /** Counts calls that are sent to a node. */
  spend({ id, quota }: AppView, units: number): void {
    if (quota !== null && units > 0) this.#use(id, quota, this.#clock.now()).own += units;
  }

  /** The Apps whose usage must be read, because of their requests. */
  asked(): readonly AppId[] {
    const apps: AppId[] = [];
    for (const [id, use] of this.#uses) {
      if (use.asked) apps.push(id);
      use.asked = false;
    }
    return apps;
  }

  /**
   * Stores what was read from the database.
   *
   * @param apps - the Apps whose usage was read
   * @param units - read after everything that the meter had counted was stored; Apps without usage are omitted
   * @param at - a time in the windows that were read
   */
  read(apps: readonly AppId[], units: readonly WindowUnits[], meter: UsageMeter, at: Millis): void {
    const found = new Map(units.map((each) => [each.appId, each]));
    for (const id of apps) {
      const use = this.#uses.get(id);
      // A window that has started since then was not read.
      if (use === undefined || use.start !== windowAt(use.window, at).start) continue;
      use.stored = found.get(id)?.[use.window] ?? 0;
      use.own = meter.unitsOf(id, use.start);
      use.read = true;
    }
  }

  #use(id: AppId, { window }: Quota, now: Millis): QuotaUse {
    const found = this.#uses.get(id);
    const use = found?.window === window && now < found.end ? found : this.#begin(id, window, now, found);
    use.asked = true;
    return use;
  }

  #begin(id: AppId, window: QuotaWindow, now: Millis, former: QuotaUse | undefined): QuotaUse {
    // A window that follows a known one starts with zero usage, so that no request waits at midnight.
    const read = former?.window === window && former.read;
    const use = { window, ...windowAt(window, now), stored: 0, own: 0, read, asked: true };
    this.#uses.delete(id);
    const [oldest] = this.#uses.keys();
    if (this.#uses.size >= this.#max && oldest !== undefined) this.#uses.delete(oldest);
    this.#uses.set(id, use);
    return use;
  }
}
