import type { AppKeyId, Millis, RouteId } from '../kernel/index.ts';
import type { AppUseCount, UseSubject } from './shared-use-store.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { AppView } from './admission.ts';
import type { AdmissionLimits, EffectiveLimits } from './route.ts';

/**
 * One App's usage of one route: a token bucket, filled at the permitted rate, and the number of requests in flight.
 * Tokens are taken from the account's bucket as well.
 *
 * (Not rate-limiter-flexible: it is asynchronous, counts in fixed windows, and sets a timer for each key.)
 */
export class AppUse {
  readonly #account: AppUse | null;
  #spent = 0;
  #at: Millis;
  /** The rate of the last charge in tokens per second, at which the bucket refills; 0 before the first charge. */
  #rate = 0;
  #running = 0;
  #runningElsewhere = 0;
  #taken = 0;

  /** @param account - the usage of the App's account on the route; `null` for the usage of an account */
  constructor(now: Millis, account: AppUse | null = null) {
    this.#at = now;
    this.#account = account;
  }

  /** Takes a token for each request from both the App and its account, or takes none and returns the refusal. */
  charge({ app, account }: EffectiveLimits, requests: number, now: Millis): Refusal | null {
    const missing = this.#wait(app, requests, now);
    if (missing !== null) return refuse('rate_limited', { retryAfterSeconds: missing });
    if (this.#account !== null) {
      const retryAfterSeconds = this.#account.#wait(account, requests, now);
      if (retryAfterSeconds !== null) return refuse('rate_limited', { message: MANY_OF_ACCOUNT, retryAfterSeconds });
      this.#account.#take(account, requests);
    }
    this.#take(app, requests);
    return null;
  }

  /** Seconds until so many may be taken from the App and its account; `null` when they may be taken now. */
  wait({ app, account }: EffectiveLimits, count: number, now: Millis): number | null {
    const own = this.#wait(app, count, now);
    return own !== null || this.#account === null ? own : this.#account.#wait(account, count, now);
  }

  /** Takes so many, for which {@link wait} has just returned `null`. */
  take({ app, account }: EffectiveLimits, count: number): void {
    this.#take(app, count);
    if (this.#account !== null) this.#account.#take(account, count);
  }

  /** The refusal if no further request may start now. */
  checkConcurrency({ app, account }: EffectiveLimits): Refusal | null {
    if (this.#isBusy(app)) return refuse('rate_limited', { message: BUSY_APP, retryAfterSeconds: 1 });
    return this.#account !== null && this.#account.#isBusy(account)
      ? refuse('rate_limited', { message: BUSY_ACCOUNT, retryAfterSeconds: 1 })
      : null;
  }

  enter(): void {
    this.#running += 1;
    this.#account?.enter();
  }

  leave(): void {
    this.#running -= 1;
    this.#account?.leave();
  }

  /** Seconds until there are enough tokens for these requests; `null` when there are enough now. */
  #wait({ requestsPerSecond: rate, burst }: AdmissionLimits, requests: number, now: Millis): number | null {
    if (rate === null) return null;
    const capacity = Math.max(burst ?? rate, rate);
    this.#rate = rate;
    this.#refill(now);
    const missing = this.#spent + requests - capacity;
    return missing > 0 ? Math.max(1, Math.ceil(Math.min(missing, this.#spent) / rate)) : null;
  }

  #take({ requestsPerSecond: rate }: AdmissionLimits, requests: number): void {
    if (rate === null) return;
    this.#spent += requests;
    this.#taken += requests;
  }

  #isBusy({ concurrency }: AdmissionLimits): boolean {
    return concurrency !== null && this.#running + this.#runningElsewhere >= concurrency;
  }

  /** The number of requests charged on this instance. */
  get taken(): number {
    return this.#taken;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Adds the requests that other instances charged since the last exchange, and their requests in flight. Between two
   * exchanges the instances together may exceed the limit; the excess is charged as a debt, so that the rate holds over
   * time.
   */
  addRemote({ taken, running }: Pick<AppUseCount, 'taken' | 'running'>, now: Millis): void {
    // Refilled first, so that a bucket that was idle for long holds no more than its burst.
    if (taken > 0 && this.#rate > 0) this.#refill(now);
    this.#spent += taken;
    this.#runningElsewhere = running;
  }

  /** True if removing this usage has no effect. */
  idle(now: Millis): boolean {
    return this.#running === 0 && this.#runningElsewhere === 0 && now - this.#at >= FORGET_MS && this.#owed(now) === 0;
  }

  #refill(now: Millis): void {
    this.#spent = this.#owed(now);
    this.#at = Math.max(this.#at, now);
  }

  /** Spent tokens that are not refilled yet. A clock that was set back refills none. */
  #owed(now: Millis): number {
    return Math.max(0, this.#spent - (Math.max(0, now - this.#at) * this.#rate) / 1000);
  }
}

/** The route of usage that is counted on all routes together. */
const ALL_ROUTES = '*' as RouteId;
const FORGET_MS = 60_000;
const MAX_USES = 50_000;
const LOOK_AT = 16;

const MANY_OF_ACCOUNT = 'Too many requests of the Apps of this account or buyer; try again later.';
const BUSY_APP = 'This App has too many requests in progress.';
const BUSY_ACCOUNT = 'The Apps of this account have too many requests in progress.';

/** The subject with which an App shares limits: its account, or its buyer where it was bought at the gate. */
function ownerOf({ accountId, buyer }: Pick<AppView, 'accountId' | 'buyer'>): UseSubject {
  return buyer === null ? `account:${accountId}` : `buyer:${buyer}`;
}

/** The usage of one App, or of all Apps of one account or buyer, on one route; or of one key on all of them. */
export interface SubjectUse {
  readonly subject: UseSubject;
  readonly routeId: RouteId;
  readonly use: AppUse;
}

/** The usage of every App and every account on every route, in memory and bounded. */
export class AppLimits {
  readonly #uses = new Map<UseSubject, Map<RouteId, SubjectUse>>();
  readonly #max: number;
  #size = 0;
  #removals = 0;

  constructor(max = MAX_USES) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** How many usages were removed: one that was found before may be one of them. */
  get removals(): number {
    return this.#removals;
  }

  /** `undefined` for a subject that has not used the route on this instance. */
  find(subject: UseSubject, route: RouteId): AppUse | undefined {
    return this.#uses.get(subject)?.get(route)?.use;
  }

  /** All usages, those of the oldest subjects first. */
  *all(): Generator<SubjectUse> {
    for (const routes of this.#uses.values()) yield* routes.values();
  }

  of(app: Pick<AppView, 'id' | 'accountId' | 'buyer'>, route: RouteId, now: Millis): AppUse {
    return this.find(app.id, route) ?? this.#begin(app.id, ownerOf(app), route, now);
  }

  /** The calls of an App that count for a rate of the route. @param name - of the rate, as the route lists it */
  ofMethod(app: Pick<AppView, 'id' | 'accountId' | 'buyer'>, name: string, route: RouteId, now: Millis): AppUse {
    const subject = `${app.id} ${name}`;
    return this.find(subject, route) ?? this.#begin(subject, `${ownerOf(app)} ${name}`, route, now);
  }

  #begin(subject: UseSubject, owner: UseSubject, route: RouteId, now: Millis): AppUse {
    return this.#add(subject, route, now, this.find(owner, route) ?? this.#add(owner, route, now, null));
  }

  /** The units that a key used in the last minute, on all routes together. */
  ofKey(id: AppKeyId, now: Millis): AppUse {
    const subject = `key:${id}`;
    return this.find(subject, ALL_ROUTES) ?? this.#add(subject, ALL_ROUTES, now, null);
  }

  #add(subject: UseSubject, routeId: RouteId, now: Millis, account: AppUse | null): AppUse {
    if (this.#size >= this.#max) this.#makeRoom(now);
    const use = new AppUse(now, account);
    const routes = this.#uses.get(subject) ?? new Map<RouteId, SubjectUse>();
    this.#uses.set(subject, routes.set(routeId, { subject, routeId, use }));
    this.#size += 1;
    return use;
  }

  /** Removes idle entries among the oldest; if none is idle, the oldest entry. */
  #makeRoom(now: Millis): void {
    let oldest: SubjectUse | null = null;
    let left = LOOK_AT;
    for (const each of this.all()) {
      oldest ??= each;
      if (each.use.idle(now)) this.#remove(each);
      if (--left === 0) break;
    }
    if (this.#size >= this.#max && oldest !== null) this.#remove(oldest);
  }

  #remove({ subject, routeId }: SubjectUse): void {
    const routes = this.#uses.get(subject);
    if (routes?.delete(routeId) !== true) return;
    this.#size -= 1;
    this.#removals += 1;
    if (routes.size === 0) this.#uses.delete(subject);
  }
}
