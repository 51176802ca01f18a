import type { AppId, RouteId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { AppUsageCount } from '../ports/usage-store.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { AdmissionLimits } from './route.ts';

/**
 * What one App uses of one route: a bucket of tokens, filled at the permitted rate, and the requests under way.
 *
 * (Not rate-limiter-flexible: its answers are promises, which the path of each request would have to wait for, it
 * counts in fixed windows, and it sets a timer for each key.)
 */
export class AppUsage {
  #spent = 0;
  #at: Millis;
  /** Of the last charge: what is spent is paid off at it. Unknown before the first one. */
  #rate = 0;
  #running = 0;
  #runningElsewhere = 0;
  #taken = 0;

  constructor(now: Millis) {
    this.#at = now;
  }

  /** Takes tokens for so many requests, or says why not. Nothing is taken by a refusal. */
  charge({ requestsPerSecond: rate, burst }: AdmissionLimits, requests: number, now: Millis): Refusal | null {
    if (rate === null) return null;
    const capacity = Math.max(burst ?? rate, rate);
    this.#rate = rate;
    this.#refill(now);
    const missing = this.#spent + requests - capacity;
    if (missing > 0) return refuse('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(Math.min(missing, this.#spent) / rate)) });
    this.#spent += requests;
    this.#taken += requests;
    return null;
  }

  /** Why no further request may begin now. */
  checkConcurrency({ concurrency }: AdmissionLimits): Refusal | null {
    return concurrency !== null && this.#running + this.#runningElsewhere >= concurrency ? refuse('rate_limited', { message: 'Too many requests of this App are under way.', retryAfterSeconds: 1 }) : null;
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
   * Counts what other instances charged since they were last heard of, and what runs there now. Together they may have
   * taken more than the limit before they heard of each other: that is a debt, so that the rate holds over time.
   */
  hear({ taken, running }: Pick<AppUsageCount, 'taken' | 'running'>, now: Millis): void {
    // The time before does not pay for it: a bucket that was not used for long holds its burst, and no more.
    if (taken > 0 && this.#rate > 0) this.#refill(now);
    this.#spent += taken;
    this.#runningElsewhere = running;
  }

  /** True when forgetting it changes nothing. */
  idle(now: Millis): boolean {
    return this.#running === 0 && this.#runningElsewhere === 0 && now - this.#at >= FORGET_MS && this.#owed(now) === 0;
  }

  #refill(now: Millis): void {
    this.#spent = this.#owed(now);
    this.#at = Math.max(this.#at, now);
  }

  /** Of the spent tokens, those that have not come back. A clock that went back brings none. */
  #owed(now: Millis): number {
    return Math.max(0, this.#spent - (Math.max(0, now - this.#at) * this.#rate) / 1000);
  }
}

const FORGET_MS = 60_000;
const MAX_USES = 50_000;
const LOOK_AT = 16;

const nameOf = (app: AppId, route: RouteId): string => `${app} ${route}`;

/** A use with whose it is. */
export interface AppRouteUsage {
  readonly appId: AppId;
  readonly routeId: RouteId;
  readonly use: AppUsage;
}

/** The use of every App on every route, in memory, bounded. */
export class AppLimits {
  readonly #uses = new Map<string, AppRouteUsage>();
  readonly #max: number;

  constructor(max = MAX_USES) {
    this.#max = max;
  }

  get size(): number {
    return this.#uses.size;
  }

  /** Of the Apps and routes that were used here. */
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

  /** Forgets the idle ones among the oldest; where none is idle, the very oldest goes. */
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
