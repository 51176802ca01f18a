import type { Millis } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { AppUsageCount, UsageExchange, UsageStore } from '../ports/usage-store.ts';
import type { AppLimits, AppUsage } from './app-limits.ts';

export interface RateLimitSyncDeps {
  readonly limits: AppLimits;
  /** `null` where no other instance shares the database. */
  readonly uses: UsageStore | null;
  readonly clock: Clock;
  /** A name that no instance had before: it counts from nothing. */
  readonly instance: string;
}

/** Between two exchanges. */
export const RATE_LIMIT_SYNC_INTERVAL_MS = 500;
/** An App that was silent for so long shows nothing taken, and counts from there. */
const SILENCE_MS = 30_000;
/** The others remember for longer what they charged, and for no shorter than it is shown. */
const REMEMBERED_MS = 60_000;

interface Shown {
  /** Charged here when it was last shown. */
  readonly taken: number;
  readonly running: number;
  /** Charged here before it began to count from nothing. */
  readonly base: number;
  readonly at: Millis;
}

interface Heard {
  readonly taken: number;
  readonly at: Millis;
}

/**
 * Keeps the limits of Apps over all instances of one database. The request itself waits for nothing: each instance
 * decides by what it knows, and hears twice a second what the others took. What they admit beyond a limit before they
 * hear of each other is charged afterwards, so that the rate holds over time.
 */
export class RateLimitSync {
  readonly #deps: RateLimitSyncDeps;
  readonly #shown = new WeakMap<AppUsage, Shown>();
  /** What of the others' counts is charged here already; `null` before the first exchange. */
  #heard: Map<string, Heard> | null = null;
  #lastAt: Millis | null = null;

  constructor(deps: RateLimitSyncDeps) {
    this.#deps = deps;
  }

  /** True where there is nobody to hear of: {@link run} does nothing. */
  get alone(): boolean {
    return this.#deps.uses === null;
  }

  /** One exchange. @throws TillgateError `NOT_READY`: until the next one, each instance counts by itself */
  async run(): Promise<void> {
    const { limits, uses, instance, clock } = this.#deps;
    if (uses === null || limits.size === 0) return;
    const news = this.#news(clock.now());
    const heard = await uses.exchange(instance, news.map(({ count }) => count), this.#lastAt);
    for (const { use, shown } of news) this.#shown.set(use, shown);
    this.#hear(heard, clock.now());
  }

  /** Usage counters changed since the last sync, and in-flight counts; a drop to zero is reported once. */
  #news(now: Millis): { readonly use: AppUsage; readonly count: AppUsageCount; readonly shown: Shown }[] {
    const news = [];
    for (const { appId, routeId, use } of this.#deps.limits.all()) {
      const { taken, running } = use;
      const last = this.#shown.get(use) ?? { taken: 0, running: 0, base: 0, at: now };
      const silent = running === 0 && last.running === 0 && taken === last.taken;
      if (silent && (taken === last.base || now - last.at <= SILENCE_MS)) continue;
      const base = silent ? taken : last.base;
      news.push({ use, count: { appId, routeId, taken: taken - base, running }, shown: { taken, running, base, at: now } });
    }
    return news;
  }

  #hear({ at: heardAt, uses }: UsageExchange, now: Millis): void {
    const { limits } = this.#deps;
    const former = this.#heard;
    const sums = new Map<AppUsage, { taken: number; running: number }>();
    const heard = new Map([...(former ?? [])].filter(([, { at }]) => heardAt - at < REMEMBERED_MS));
    for (const { instance, appId, routeId, taken, running } of uses) {
      const name = `${instance} ${appId} ${routeId}`;
      // Whoever joins does not pay for what was taken before.
      const before = former === null ? taken : (former.get(name)?.taken ?? 0);
      heard.set(name, { taken, at: heardAt });
      const use = limits.find(appId, routeId);
      if (use === undefined) continue;
      const sum = sums.get(use) ?? { taken: 0, running: 0 };
      sums.set(use, { taken: sum.taken + (taken < before ? taken : taken - before), running: sum.running + running });
    }
    for (const { use } of limits.all()) use.hear(sums.get(use) ?? { taken: 0, running: 0 }, now);
    this.#heard = heard;
    this.#lastAt = heardAt;
  }
}
