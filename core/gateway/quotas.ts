import type { AppId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { WindowUnits } from '../ports/usage-store.ts';
import type { AppView } from './admission.ts';
import { windowAt } from './quota.ts';
import type { Quota, QuotaWindow } from './quota.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { UsageMeter } from './usage-meter.ts';

/** What an App used in the present window of its quota. */
interface QuotaUse {
  readonly window: QuotaWindow;
  readonly start: Millis;
  readonly end: Millis;
  /** By the database, with what all instances have added to it. */
  stored: number;
  /** Counted here, and not in `stored`. */
  own: number;
  /** True where a request asked since the database was read. */
  asked: boolean;
}

const MAX_USES = 200_000;

/**
 * The quotas of Apps. No request waits for the database: each instance decides by what it counted itself and by what it
 * read twice a second. What Apps used beyond a quota in between is counted all the same.
 *
 * Uses stay in memory until their window is over: one that was forgotten while it is exhausted would be let in again.
 */
export class Quotas {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #uses = new Map<AppId, QuotaUse>();

  constructor(clock: Clock, max = MAX_USES) {
    this.#clock = clock;
    this.#max = max;
  }

  /** The refusal of calls that cost so many units; calls that cost nothing are always inside. */
  check({ id, quota }: AppView, units: number): Refusal | null {
    if (quota === null || units === 0) return null;
    const now = this.#clock.now();
    const use = this.#use(id, quota, now);
    if (use.stored + use.own + units <= quota.units) return null;
    return refuse('quota_exceeded', {
      rpcCode: -32005,
      message: `The App may use ${quota.units} units in a ${quota.window} (UTC), and these calls go beyond.`,
      retryAfterSeconds: Math.max(1, Math.ceil((use.end - now) / 1000)),
    });
  }

  /** Calls that go to a node. */
  spend({ id, quota }: AppView, units: number): void {
    if (quota !== null && units > 0) this.#use(id, quota, this.#clock.now()).own += units;
  }

  /** The Apps whose use has to be read, because requests asked for it. */
  asked(): readonly AppId[] {
    const apps: AppId[] = [];
    for (const [id, use] of this.#uses) {
      if (use.asked) apps.push(id);
      use.asked = false;
    }
    return apps;
  }

  /**
   * Takes over what the database has.
   *
   * @param apps - whose use was read
   * @param units - what was read after everything that the meter had counted was stored; Apps without usage are left out
   * @param at - a time in the windows that were read
   */
  read(apps: readonly AppId[], units: readonly WindowUnits[], meter: UsageMeter, at: Millis): void {
    const found = new Map(units.map((each) => [each.appId, each]));
    for (const id of apps) {
      const use = this.#uses.get(id);
      // A window that has begun meanwhile was not read.
      if (use === undefined || use.start !== windowAt(use.window, at).start) continue;
      use.stored = found.get(id)?.[use.window] ?? 0;
      use.own = meter.unitsOf(id, use.start);
    }
  }

  #use(id: AppId, { window }: Quota, now: Millis): QuotaUse {
    const found = this.#uses.get(id);
    const use = found?.window === window && now < found.end ? found : this.#begin(id, window, now);
    use.asked = true;
    return use;
  }

  #begin(id: AppId, window: QuotaWindow, now: Millis): QuotaUse {
    const use = { window, ...windowAt(window, now), stored: 0, own: 0, asked: true };
    this.#uses.delete(id);
    const [oldest] = this.#uses.keys();
    if (this.#uses.size >= this.#max && oldest !== undefined) this.#uses.delete(oldest);
    this.#uses.set(id, use);
    return use;
  }
}
