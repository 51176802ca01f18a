import { TillgateError } from '../kernel/index.ts';
import type { AccountId, Clock, Millis } from '../kernel/index.ts';
import type { OrderStore } from './order-store.ts';
import type { OrderSettings } from './order-settings.ts';

export interface OrderQuotaDeps {
  readonly storage: { readonly orders: Pick<OrderStore, 'countOpen'> };
  readonly clock: Clock;
  readonly settings: Pick<OrderSettings, 'openPerAccount' | 'addressesPerDay'>;
}

/** The cached counts of an account on this instance. */
interface AccountUse {
  /** Orders that may be created before the next count. */
  left: number;
  /** Orders that are being created and may or may not be in the database yet. */
  underWay: number;
  /** When none was left at the last count: the time before which they are not counted again. */
  fullUntil: Millis;
  counting: Promise<void> | null;
  day: number;
  addresses: number;
}

const DAY_MS = 86_400_000;
/** An account at its limit causes one count in this time, in milliseconds, however many requests it sends. */
const COUNT_AGAIN_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

/**
 * Limits the open orders and new addresses of an account, so that no account fills the table, the address pool or the
 * list of watched addresses for all. Open orders are counted in the database when half of the remaining number has been
 * created here: creating an order costs no query for an account far from its limit, and instances together exceed the
 * limit by at most what each of them may create between two counts. Each instance counts addresses by itself.
 */
export class OrderQuota {
  readonly #deps: OrderQuotaDeps;
  readonly #accounts = new Map<AccountId, AccountUse>();

  constructor(deps: OrderQuotaDeps) {
    this.#deps = deps;
  }

  /** Creates an order if the account may have one more. @throws TillgateError `RATE_LIMITED`; any error of `create` */
  async withOrder<T>(accountId: AccountId, create: () => Promise<T>): Promise<T> {
    const use = this.#useOf(accountId);
    while (use.left === 0) {
      this.#refuseFull(use);
      await (use.counting ??= this.#count(accountId, use));
    }
    use.left -= 1;
    use.underWay += 1;
    try {
      return await create();
    } finally {
      use.underWay -= 1;
    }
  }

  /** Counts a new address. @throws TillgateError `RATE_LIMITED` */
  takeAddress(accountId: AccountId): void {
    const { clock, settings } = this.#deps;
    const use = this.#useOf(accountId);
    const now = clock.now();
    const day = Math.floor(now / DAY_MS);
    if (use.day !== day) Object.assign(use, { day, addresses: 0 });
    if (use.addresses >= settings.addressesPerDay)
      throw new TillgateError(
        'RATE_LIMITED',
        `This account has reached its limit of ${settings.addressesPerDay} new addresses for today (setting orders.addressesPerDay).`,
        { retryAfterSeconds: Math.ceil(((day + 1) * DAY_MS - now) / 1_000) },
      );
    use.addresses += 1;
  }

  /** Sets the number of orders that may be created before the next count. */
  async #count(accountId: AccountId, use: AccountUse): Promise<void> {
    const { storage, clock, settings } = this.#deps;
    const { underWay } = use;
    try {
      const open = underWay + (await storage.orders.countOpen(accountId, settings.openPerAccount));
      use.left = Math.max(0, Math.ceil((settings.openPerAccount - open) / 2));
      if (use.left === 0) use.fullUntil = clock.now() + COUNT_AGAIN_MS;
    } finally {
      use.counting = null;
    }
  }

  #refuseFull({ fullUntil }: AccountUse): void {
    const { clock, settings } = this.#deps;
    if (clock.now() >= fullUntil) return;
    throw new TillgateError(
      'RATE_LIMITED',
      `This account has reached its limit of ${settings.openPerAccount} open orders (setting orders.openPerAccount); try again when some are paid or have expired.`,
      { retryAfterSeconds: Math.ceil(COUNT_AGAIN_MS / 1_000) },
    );
  }

  #useOf(accountId: AccountId): AccountUse {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    // An evicted account is counted again when it returns.
    if (this.#accounts.size >= MAX_ACCOUNTS)
      for (const oldest of this.#accounts.keys()) {
        this.#accounts.delete(oldest);
        break;
      }
    const use: AccountUse = { left: 0, underWay: 0, fullUntil: 0, counting: null, day: 0, addresses: 0 };
    this.#accounts.set(accountId, use);
    return use;
  }
}
