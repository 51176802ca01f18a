import type { AppId } from '../kernel/ids.ts';
import type { GatewaySubject } from '../ports/change-feed.ts';
import type { PrepaidUnits } from '../ports/prepaid-store.ts';
import type { AppView } from './admission.ts';
import type { FeedReader } from './feed-follower.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { UsageMeter } from './usage-meter.ts';

/** What is known of a prepaid App's units. */
interface Balance {
  /** What is left by the database, with what all instances have added to it; `null` before the first read. */
  stored: number | null;
  /** Counted here, and not in `stored`. */
  own: number;
  token: string;
  /** True where it has to be read: a request asked, or a payment came. */
  asked: boolean;
}

const MAX_BALANCES = 200_000;

/**
 * What prepaid Apps have left. No request waits for the database: each instance decides by what it counted itself and by what
 * it read twice a second. A balance that was not read yet admits.
 */
export class PrepaidBalances implements FeedReader {
  readonly #topUpUrl: (token: string) => string;
  readonly #max: number;
  readonly #balances = new Map<AppId, Balance>();

  /** @param topUpUrl - where units are bought */
  constructor(topUpUrl: (token: string) => string, max = MAX_BALANCES) {
    this.#topUpUrl = topUpUrl;
    this.#max = max;
  }

  /** The refusal of calls that cost so many units; calls that cost nothing are always inside. */
  check({ id, prepaid }: AppView, units: number): Refusal | null {
    if (!prepaid || units === 0) return null;
    const balance = this.#balance(id);
    if (balance.stored === null || units <= balance.stored - balance.own) return null;
    const topUpUrl = this.#topUpUrl(balance.token);
    return refuse('quota_exceeded', {
      // Not 429: clients would send it again and again.
      status: 402,
      rpcCode: -32005,
      message: `The App has used up its prepaid units. Buy more at ${topUpUrl}`,
      topUpUrl,
    });
  }

  /** False while an App's units were not read yet: then every call is admitted. */
  isRead({ id }: AppView): boolean {
    const stored = this.#balances.get(id)?.stored ?? null;
    return stored !== null;
  }

  /** Calls that go to a node. */
  spend({ id, prepaid }: AppView, units: number): void {
    if (prepaid && units > 0) this.#balance(id).own += units;
  }

  /** The Apps whose units have to be read. */
  asked(): readonly AppId[] {
    const apps: AppId[] = [];
    for (const [id, balance] of this.#balances) {
      if (balance.asked) apps.push(id);
      balance.asked = false;
    }
    return apps;
  }

  /**
   * Takes over what the database has.
   *
   * @param apps - whose units were read
   * @param units - what was read after everything that the meter had counted was stored
   */
  read(apps: readonly AppId[], units: readonly PrepaidUnits[], meter: UsageMeter): void {
    const found = new Map(units.map((each) => [each.appId, each]));
    for (const id of apps) {
      const [balance, read] = [this.#balances.get(id), found.get(id)];
      if (balance === undefined || read === undefined) continue;
      balance.stored = read.bought - read.used;
      balance.token = read.token;
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
    const balance = { stored: null, own: 0, token: '', asked: true };
    const [oldest] = this.#balances.keys();
    if (this.#balances.size >= this.#max && oldest !== undefined) this.#balances.delete(oldest);
    this.#balances.set(id, balance);
    return balance;
  }
}
