import type { AppId, RouteId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { AppUsageCount } from '../ports/usage-store.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { AdmissionLimits } from './route.ts';

/**
 * One App's usage of one route: a token bucket, filled at the permitted rate, and the number of requests in flight.
 *
 * (Not rate-limiter-flexible: it answers with promises, counts in fixed windows, and sets a timer for each key.)
 */
export class AppUsage {
  #spent = 0;
  #at: Millis;
  /** The rate of the last charge, at which tokens come back; 0 before the first one. */
  #rate = 0;
  #running = 0;
  #runningElsewhere = 0;
  #taken = 0;

  constructor(now: Millis) {
    this.#at = now;
  }

  /** Takes a token for each request, or returns the refusal and takes none. */
  charge({ requestsPerSecond: rate, burst }: AdmissionLimits, requests: number, now: Millis): Refusal | null {
    if (rate === null) return null;
    const capacity = Math.max(burst ?? rate, rate);
    this.#rate = rate;
    this.#refill(now);
    const missing = this.#spent + requests - capacity;
    if (missing > 0)
      return refuse('rate_limited', {
        retryAfterSeconds: Math.max(1, Math.ceil(Math.min(missing, this.#spent) / rate)),
      });
    this.#spent += requests;
    this.#taken += requests;
    return null;
  }

  /** The refusal if no further request may begin now. */
  checkConcurrency({ concurrency }: AdmissionLimits): Refusal | null {
    return concurrency !== null && this.#running + this.#runningElsewhere >= concurrency
      ? refuse('rate_limited', { message: 'Too many requests of this App are under way.', retryAfterSeconds: 1 })
      : null;
  }

  enter(): void {
    this.#running += 1;
  }

  leave(): void {
    this.#running -= 1;
  }

  /** Requests charged here so far. */
  get taken(): number {
    return this.#taken;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Adds what other instances charged since the last exchange, and their requests in flight. Together the instances may
   * exceed the limit between two exchanges; the excess is a debt, so that the rate holds over time.
   */
  addRemote({ taken, running }: Pick<AppUsageCount, 'taken' | 'running'>, now: Millis): void {
    // Refilled first: a bucket that was not used for long holds no more than its burst.
    if (taken > 0 && this.#rate > 0) this.#refill(now);
    this.#spent += taken;
    this.#runningElsewhere = running;
  }

  /** True if removing it changes nothing. */
  idle(now: Millis): boolean {
    return this.#running === 0 && this.#runningElsewhere === 0 && now - this.#at >= FORGET_MS && this.#owed(now) === 0;
  }

  #refill(now: Millis): void {
    this.#spent = this.#owed(now);
    this.#at = Math.max(this.#at, now);
  }

  /** Spent tokens that have not come back. A clock that was set back returns none. */
  #owed(now: Millis): number {
    return Math.max(0, this.#spent - (Math.max(0, now - this.#at) * this.#rate) / 1000);
  }
}

const FORGET_MS = 60_000;
const MAX_USES = 50_000;
const LOOK_AT = 16;

const nameOf = (app: AppId, route: RouteId): string => `${app} ${route}`;

/** The usage of one App on one route. */
export interface AppRouteUsage {
  readonly appId: AppId;
  readonly routeId: RouteId;
  readonly use: AppUsage;
}

/** The usage of every App on every route, in memory, with a limit. */
export class AppLimits {
  readonly #uses = new Map<string, AppRouteUsage>();
  readonly #max: number;

  constructor(max = MAX_USES) {
    this.#max = max;
  }

  get size(): number {
    return this.#uses.size;
  }

  /** `undefined` for an App that did not use the route here. */
  find(app: AppId, route: RouteId): AppUsage | undefined {
    return this.#uses.get(nameOf(app, route))?.use;
  }

  all(): Iterable<AppRouteUsage> {
    return this.#uses.values();
  }

  of(app: AppId, route: RouteId, now: Millis): AppUsage {
    const name = nameOf(app, route);
    const known = this.#uses.get(name);
    if (known !== undefined) return known.use;
    if (this.#uses.size >= this.#max) this.#makeRoom(now);
    const use = new AppUsage(now);
    this.#uses.set(name, { appId: app, routeId: route, use });
    return use;
  }

  /** Removes idle entries among the oldest; without any, the oldest entry. */
  #makeRoom(now: Millis): void {
    let oldest: string | null = null;
    let left = LOOK_AT;
    for (const [name, { use }] of this.#uses) {
      oldest ??= name;
      if (use.idle(now)) this.#uses.delete(name);
      if (--left === 0) break;
    }
    if (this.#uses.size >= this.#max && oldest !== null) this.#uses.delete(oldest);
  }
}
