import type { AppId } from '../kernel/index.ts';
import type { GatewaySubject } from './change-feed.ts';
import type { PrepaidUnits } from './prepaid-store.ts';
import type { AppView } from './admission.ts';
import type { FeedReader } from './feed-follower.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { UsageMeter } from './usage-meter.ts';

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
    if (prepaid && units > 0) this.#balance(id).own += units;
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
