import { TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { OrderSettings } from './settings.ts';

export interface OrderQuotaDeps {
  readonly storage: { readonly orders: Pick<OrderStore, 'countOpen'> };
  readonly clock: Clock;
  readonly settings: Pick<OrderSettings, 'openPerAccount' | 'addressesPerDay'>;
}

/** What this instance knows of an account. */
interface AccountUse {
  /** Orders that may be created before they are counted again. */
  left: number;
  /** Orders that are being created: they may or may not be in the database yet. */
  underWay: number;
  /** None was left at the last count: until then they are not counted again. */
  fullUntil: Millis;
  counting: Promise<void> | null;
  day: number;
  addresses: number;
}

const DAY_MS = 86_400_000;
/** An account at its limit costs one count in this time, however often it asks. */
const COUNT_AGAIN_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

/**
 * How many open orders and new addresses an account may have, so that none of them fills the table, the address pool or the
 * list of watched addresses for all (decisions, section 11). Open orders are counted in the database when half of what was
 * left has been created here: no creation of an account far from its limit costs a query, and instances together exceed the
 * limit by no more than each of them may create between two counts. Addresses are counted by each instance.
 */
export class OrderQuota {
  readonly #deps: OrderQuotaDeps;
  readonly #accounts = new Map<AccountId, AccountUse>();

  constructor(deps: OrderQuotaDeps) {
    this.#deps = deps;
  }

  /** Creates an order, if the account may have one more. @throws TillgateError `RATE_LIMITED`; what `create` throws */
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
        `This account was given ${settings.addressesPerDay} new addresses today, as many as it may have (orders.addressesPerDay).`,
        { retryAfterSeconds: Math.ceil(((day + 1) * DAY_MS - now) / 1_000) },
      );
    use.addresses += 1;
  }

  /** Sets how many orders may be created before the next count. */
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
      `This account has ${settings.openPerAccount} open orders, as many as it may have (orders.openPerAccount); try again when some are paid or have expired.`,
      { retryAfterSeconds: Math.ceil(COUNT_AGAIN_MS / 1_000) },
    );
  }

  #useOf(accountId: AccountId): AccountUse {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    // The oldest is counted anew when it comes back.
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
