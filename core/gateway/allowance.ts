import type { AppId, Clock, Millis } from '../kernel/index.ts';
import type { WindowUnits } from './usage-store.ts';
import type { AppView } from './admission.ts';
import { windowAt } from './quota.ts';
import type { Quota, QuotaWindow } from './quota.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { UsageMeter } from './usage-meter.ts';
import type { GatewaySubject } from './change-feed.ts';
import type { PrepaidUnits } from './prepaid-store.ts';
import type { FeedReader } from './feed-follower.ts';

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
    if (quota === null || units === 0) return;
    const use = this.#use(id, quota, this.#clock.now());
    use.own = Math.max(0, use.own + units);
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

/** The cached units of a prepaid App. */
interface Balance {
  /** The remainder according to the database, with the batches of all instances; `null` before the first read. */
  stored: number | null;
  /** Units counted here that are not in `stored`. */
  own: number;
  /** The last part of the URL of the page that sells units; `null` for an App that never bought any. */
  token: string | null;
  /** True when the balance must be read, because of a request or a payment. */
  asked: boolean;
}

const MAX_BALANCES = 200_000;
const UNREAD_BALANCE = {
  status: 503,
  message: 'The remaining units of the App could not be read; try again.',
  retryAfterSeconds: 1,
} as const;

/**
 * The remaining units of prepaid Apps. Each instance decides by its own counts and by the database, which it reads
 * twice a second. The first request of an App waits until its balance was read; if the read failed, it is refused.
 */
export class PrepaidBalances implements FeedReader {
  readonly #topUpUrl: (token: string) => string;
  readonly #max: number;
  readonly #balances = new Map<AppId, Balance>();

  /** @param topUpUrl - the URL of the page that sells units */
  constructor(topUpUrl: (token: string) => string, max = MAX_BALANCES) {
    this.#topUpUrl = topUpUrl;
    this.#max = max;
  }

  /** The refusal of calls that cost this many units; calls that cost nothing are never refused. */
  check({ id, prepaid }: AppView, units: number): Refusal | null {
    if (!prepaid || units === 0) return null;
    const balance = this.#balance(id);
    if (balance.stored === null) return refuse('upstream_unavailable', UNREAD_BALANCE);
    if (units <= balance.stored - balance.own) return null;
    const topUpUrl = balance.token === null ? null : this.#topUpUrl(balance.token);
    return refuse('quota_exceeded', {
      // Not 429, on which clients would retry again and again.
      status: 402,
      rpcCode: -32005,
      message: `The App has used up its prepaid units.${topUpUrl === null ? '' : ` Buy more at ${topUpUrl}`}`,
      topUpUrl,
    });
  }

  /** False, and requests a read, when an App's balance was not read yet. */
  isRead({ id, prepaid }: AppView): boolean {
    return !prepaid || this.#balance(id).stored !== null;
  }

  /** Counts calls that are sent to a node. */
  spend({ id, prepaid }: AppView, units: number): void {
    if (!prepaid || units === 0) return;
    const balance = this.#balance(id);
    balance.own = Math.max(0, balance.own + units);
  }

  /** The Apps whose units must be read. */
  asked(): readonly AppId[] {
    const apps: AppId[] = [];
    for (const [id, balance] of this.#balances) {
      if (balance.asked) apps.push(id);
      balance.asked = false;
    }
    return apps;
  }

  /**
   * Stores what was read from the database.
   *
   * @param apps - the Apps whose units were read
   * @param units - read after everything that the meter had counted was stored
   */
  read(apps: readonly AppId[], units: readonly PrepaidUnits[], meter: UsageMeter): void {
    const found = new Map(units.map((each) => [each.appId, each]));
    for (const id of apps) {
      const [balance, read] = [this.#balances.get(id), found.get(id)];
      if (balance === undefined) continue;
      balance.stored = read === undefined ? 0 : read.bought - read.used;
      balance.token = read?.token ?? null;
      balance.own = meter.unitsOf(id, 0);
    }
  }

  /** A payment is published as a change of its App. */
  apply(subjects: readonly GatewaySubject[]): Promise<void> {
    for (const { kind, id } of subjects) {
      const balance = kind === 'app' ? this.#balances.get(id) : undefined;
      if (balance !== undefined) balance.asked = true;
    }
    return Promise.resolve();
  }

  load(): Promise<void> {
    for (const balance of this.#balances.values()) balance.asked = true;
    return Promise.resolve();
  }

  #balance(id: AppId): Balance {
    const balance = this.#balances.get(id) ?? this.#begin(id);
    balance.asked = true;
    return balance;
  }

  #begin(id: AppId): Balance {
    const balance = { stored: null, own: 0, token: null, asked: true };
    const [oldest] = this.#balances.keys();
    if (this.#balances.size >= this.#max && oldest !== undefined) this.#balances.delete(oldest);
    this.#balances.set(id, balance);
    return balance;
  }
}

/** The units that an App may use: by its quota and, where it is prepaid, by what it bought. */
export class Allowance {
  readonly quotas: Quotas;
  readonly prepaid: PrepaidBalances;
  #reader: (() => Promise<void>) | null = null;

  constructor(quotas: Quotas, prepaid: PrepaidBalances) {
    this.quotas = quotas;
    this.prepaid = prepaid;
  }

  /** @param reader - reads the requested usage; it also resolves when the read failed */
  readBy(reader: () => Promise<void>): void {
    this.#reader = reader;
  }

  /**
   * The read for which the first request of an App on this instance waits; `null` when everything about the App is
   * known. Afterwards {@link check} decides, whether the read succeeded or not.
   */
  learn(app: AppView): Promise<void> | null {
    if (this.isUnlimited(app) || this.#reader === null) return null;
    // Both are evaluated, so that one read covers both.
    const [quota, prepaid] = [this.quotas.isRead(app), this.prepaid.isRead(app)];
    return quota && prepaid ? null : this.#reader();
  }

  /** True for an App that has no quota and is not prepaid. */
  isUnlimited({ quota, prepaid }: AppView): boolean {
    return quota === null && !prepaid;
  }

  /** The refusal of calls that cost this many units; `null` for none. */
  check(app: AppView, units: number): Refusal | null {
    return this.quotas.check(app, units) ?? this.prepaid.check(app, units);
  }

  /** Counts calls that are sent to a node; a negative number gives units back. */
  spend(app: AppView, units: number): void {
    this.quotas.spend(app, units);
    this.prepaid.spend(app, units);
  }
}
