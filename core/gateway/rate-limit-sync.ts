import type { Clock, Millis } from '../kernel/index.ts';
import type { AppUseCount, SharedUseExchange, SharedUseStore } from './shared-use-store.ts';
import type { AppLimits, AppUse } from './app-limits.ts';

export interface RateLimitSyncDeps {
  readonly limits: AppLimits;
  /** `null` where no other instance shares the database. */
  readonly uses: SharedUseStore | null;
  readonly clock: Clock;
  /** Whether the gateway has a route; without one there are no limits to share. */
  readonly hasRoutes: () => boolean;
  /** A name that no instance had before; its counts start at zero. */
  readonly instance: string;
}

/** The interval between two exchanges, in milliseconds. */
export const RATE_LIMIT_SYNC_INTERVAL_MS = 500;
/** After this many milliseconds without requests, the counts of an App start at zero again. */
const SILENCE_MS = 30_000;
/** Milliseconds for which read counts are remembered: longer than instances publish them, to charge none twice. */
const REMEMBERED_MS = 60_000;

interface Shown {
  readonly taken: number;
  readonly running: number;
  /** Requests charged here before the counts started at zero again. */
  readonly base: number;
  readonly at: Millis;
}

interface RemoteUse {
  readonly taken: number;
  readonly at: Millis;
}

/**
 * Applies the limits of Apps across all instances of one database. No request waits for it: each instance decides by
 * its own counts and by those of the others, which it reads twice a second. Requests that were admitted beyond a limit
 * between two exchanges are charged afterwards, so that the rate holds over time.
 */
export class RateLimitSync {
  readonly #deps: RateLimitSyncDeps;
  readonly #shown = new WeakMap<AppUse, Shown>();
  /** The counts of other instances that are already charged here; `null` before the first exchange. */
  #known: Map<string, RemoteUse> | null = null;
  #lastAt: Millis | null = null;

  constructor(deps: RateLimitSyncDeps) {
    this.#deps = deps;
  }

  /** True for a database without other instances, for which {@link run} does nothing. */
  get alone(): boolean {
    return this.#deps.uses === null;
  }

  /** Makes one exchange. @throws TillgateError `NOT_READY`; until the next one its own counts decide */
  async run(): Promise<void> {
    const { uses, instance, clock, hasRoutes } = this.#deps;
    if (uses === null) return;
    if (!hasRoutes()) {
      this.#known = null;
      return;
    }
    // Also without own usage, so that what the others charge between two exchanges can be told from earlier charges.
    const changed = this.#changed(clock.now());
    const remote = await uses.exchange(
      instance,
      changed.map(({ count }) => count),
      this.#lastAt,
    );
    for (const { use, shown } of changed) this.#shown.set(use, shown);
    this.#apply(remote, clock.now());
  }

  /** The counters that changed since the last exchange, and counts of requests in flight; zero is published once. */
  #changed(now: Millis): { readonly use: AppUse; readonly count: AppUseCount; readonly shown: Shown }[] {
    const changed = [];
    for (const { subject, routeId, use } of this.#deps.limits.all()) {
      const { taken, running } = use;
      const last = this.#shown.get(use) ?? { taken: 0, running: 0, base: 0, at: now };
      const silent = running === 0 && last.running === 0 && taken === last.taken;
      if (silent && (taken === last.base || now - last.at <= SILENCE_MS)) continue;
      const base = silent ? taken : last.base;
      changed.push({
        use,
        count: { subject, routeId, taken: taken - base, running },
        shown: { taken, running, base, at: now },
      });
    }
    return changed;
  }

  #apply({ at: receivedAt, uses }: SharedUseExchange, now: Millis): void {
    const { limits } = this.#deps;
    const former = this.#known;
    const sums = new Map<AppUse, { taken: number; running: number }>();
    const remote = new Map([...(former ?? [])].filter(([, { at }]) => receivedAt - at < REMEMBERED_MS));
    for (const { instance, subject, routeId, taken, running } of uses) {
      const name = `${instance} ${subject} ${routeId}`;
      // Requests of the others from before the first exchange are not charged.
      const before = former === null ? taken : (former.get(name)?.taken ?? 0);
      remote.set(name, { taken, at: receivedAt });
      const use = limits.find(subject, routeId);
      if (use === undefined) continue;
      const sum = sums.get(use) ?? { taken: 0, running: 0 };
      sums.set(use, { taken: sum.taken + (taken < before ? taken : taken - before), running: sum.running + running });
    }
    for (const { use } of limits.all()) use.addRemote(sums.get(use) ?? { taken: 0, running: 0 }, now);
    this.#known = remote;
    this.#lastAt = receivedAt;
  }
}
