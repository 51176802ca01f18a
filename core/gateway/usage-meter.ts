import type { AppId, Clock, Millis } from '../kernel/index.ts';
import { HOUR_MS, startOfHour } from '../kernel/index.ts';
import type { UsageCounts, UsageRow } from './usage-store.ts';
import { OTHER_METHOD } from './metered-route.ts';
import type { MeteredRoute } from './metered-route.ts';

/** The counts of one method that are still counted. */
export type RunningUsage = { -readonly [Field in keyof UsageCounts]: number };

/** The record of an App's calls of one method on one route, for whoever counts many calls of it. */
export interface UsageSlot {
  readonly app: AppId;
  readonly route: MeteredRoute;
  /** As callers name it. */
  readonly method: string;
  /** `null` before the first call, and where there is no record for it. */
  counts: RunningUsage | null;
  /** The meter's {@link UsageMeter.removals} when the record was found. */
  removals: number;
}
/** Counts by method. */
type RouteCounts = Map<string, RunningUsage>;
/** Counts by the route's host. */
type AppCounts = Map<string, RouteCounts>;

const MAX_RECORDS = 100_000;

/**
 * Counts the usage of Apps in memory by App, route, method and hour (UTC) until {@link take} removes it for storing.
 *
 * A call with an existing record takes three look-ups and no memory. The number of records is bounded: above the bound
 * a method is counted in the App's `other` record and, where there is none, in {@link lost}.
 */
export class UsageMeter {
  readonly #clock: Clock;
  readonly #max: number;
  #hour: Millis;
  #apps = new Map<AppId, AppCounts>();
  #records = 0;
  /** Records of past hours. */
  #closed: UsageRow[] = [];
  #lost = 0;
  #removals = 0;

  constructor(clock: Clock, max = MAX_RECORDS) {
    this.#clock = clock;
    this.#max = max;
    this.#hour = startOfHour(clock.now());
  }

  /** The number of records, including those of past hours. */
  get size(): number {
    return this.#records + this.#closed.length;
  }

  /** Calls that could not be counted, since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** How many times records were removed: one that was found before may be stored by now. */
  get removals(): number {
    return this.#removals;
  }

  /** As {@link sent} with a single call, which finds its record once. */
  sentOne(slot: UsageSlot): number {
    const { units } = slot.route.method(slot.method);
    this.#turn();
    const counts = this.#of(slot);
    if (counts === null) this.#lost += 1;
    else {
      counts.requests += 1;
      counts.units += units;
    }
    return units;
  }

  /** As {@link bytes} with a single call. */
  bytesOfOne(slot: UsageSlot, bytesIn: number, bytesOut: number): void {
    const counts = this.#of(slot);
    if (counts === null) return;
    counts.bytesIn += bytesIn;
    counts.bytesOut += bytesOut;
  }

  /** Counts calls that are sent to a node. Returns their units. */
  sent(app: AppId, route: MeteredRoute, methods: readonly string[]): number {
    this.#turn();
    let all = 0;
    for (const name of methods) {
      const { name: counted, units } = route.method(name);
      all += units;
      const counts = this.#counts(app, route.host, counted);
      if (counts === null) {
        this.#lost += 1;
        continue;
      }
      counts.requests += 1;
      counts.units += units;
    }
    return all;
  }

  /**
   * Gives back the units of calls that were sent, but that no node worked on. What was stored meanwhile stays counted.
   *
   * @returns the units
   */
  unanswered(app: AppId, route: MeteredRoute, methods: readonly string[]): number {
    let all = 0;
    for (const name of methods) {
      const { name: counted, units } = route.method(name);
      const counts = this.#counts(app, route.host, counted);
      if (counts === null || counts.units < units) continue;
      counts.units -= units;
      all += units;
    }
    return all;
  }

  /** Counts calls that were refused before they were sent: one error each, and no units. */
  refused(app: AppId, route: MeteredRoute, methods: readonly string[]): void {
    this.#turn();
    for (const name of methods) {
      const counts = this.#counts(app, route.host, route.method(name).name);
      if (counts === null) {
        this.#lost += 1;
        continue;
      }
      counts.requests += 1;
      counts.errors += 1;
    }
  }

  /** Counts errors of calls that were sent to a node, in the hour in which the last call started. */
  failed(app: AppId, route: MeteredRoute, methods: readonly string[]): void {
    for (const name of methods) {
      const counts = this.#counts(app, route.host, route.method(name).name);
      if (counts !== null) counts.errors += 1;
    }
  }

  /**
   * Counts bytes of bodies, in the hour in which the last call started. The bytes of a batch are divided evenly; the
   * first call gets the remainder.
   */
  bytes(app: AppId, route: MeteredRoute, methods: readonly string[], bytesIn: number, bytesOut: number): void {
    if (bytesIn === 0 && bytesOut === 0) return;
    const shareIn = Math.floor(bytesIn / methods.length);
    const shareOut = Math.floor(bytesOut / methods.length);
    let restIn = bytesIn - shareIn * methods.length;
    let restOut = bytesOut - shareOut * methods.length;
    for (const name of methods) {
      const counts = this.#counts(app, route.host, route.method(name).name);
      if (counts !== null) {
        counts.bytesIn += shareIn + restIn;
        counts.bytesOut += shareOut + restOut;
      }
      restIn = 0;
      restOut = 0;
    }
  }

  /**
   * Removes and returns what was counted since the last call: at most `max` rows, each (App, hour, route, method) once.
   */
  take(max: number): readonly UsageRow[] {
    this.#turn();
    const rows = this.#closed.splice(0, max);
    this.#move(rows, max);
    return rows;
  }

  /** The counted units of an App since an hour that were not taken yet. */
  unitsOf(app: AppId, since: Millis): number {
    this.#turn();
    let sum = 0;
    for (const { appId, hour, units } of this.#closed) if (appId === app && hour >= since) sum += units;
    for (const methods of this.#apps.get(app)?.values() ?? []) for (const { units } of methods.values()) sum += units;
    return sum;
  }

  #of(slot: UsageSlot): RunningUsage | null {
    if (slot.counts === null || slot.removals !== this.#removals) {
      const { app, route, method } = slot;
      slot.counts = this.#counts(app, route.host, route.method(method).name);
      slot.removals = this.#removals;
    }
    return slot.counts;
  }

  #counts(app: AppId, host: string, method: string): RunningUsage | null {
    const found = this.#apps.get(app)?.get(host)?.get(method);
    return found ?? this.#begin(app, host, method);
  }

  #begin(app: AppId, host: string, method: string): RunningUsage | null {
    if (this.size >= this.#max) return this.#apps.get(app)?.get(host)?.get(OTHER_METHOD) ?? null;
    const routes = this.#apps.get(app) ?? new Map<string, RouteCounts>();
    this.#apps.set(app, routes);
    const methods: RouteCounts = routes.get(host) ?? new Map<string, RunningUsage>();
    routes.set(host, methods);
    const counts = { requests: 0, units: 0, errors: 0, bytesIn: 0, bytesOut: 0 };
    methods.set(method, counts);
    this.#records += 1;
    return counts;
  }

  /** Starts a new hour when the present one has ended. */
  #turn(): void {
    const now = this.#clock.now();
    if (now < this.#hour + HOUR_MS) return;
    this.#move(this.#closed, Infinity);
    this.#hour = startOfHour(now);
  }

  /** Moves records of the present hour to the end of the rows, until there are `max`. */
  #move(rows: UsageRow[], max: number): void {
    this.#removals += 1;
    for (const [appId, routes] of this.#apps) {
      for (const [route, methods] of routes) {
        for (const [method, counts] of methods) {
          if (rows.length >= max) return;
          rows.push({ appId, hour: this.#hour, route, method, ...counts });
          methods.delete(method);
          this.#records -= 1;
        }
        routes.delete(route);
      }
      this.#apps.delete(appId);
    }
  }
}
