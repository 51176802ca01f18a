import type { CallbackStatus } from '../notify/index.ts';
import type { AccountId, Clock, CurrencyCode, Millis, Storage } from '../kernel/index.ts';
import { DAY_MS, invalidField, startOfDay } from '../kernel/index.ts';
import type { GatewaySum, OrderStatus, OrderSum, OverviewQuery } from '../orders/index.ts';
import { accountNotFound, listScope } from '../access/index.ts';
import type { Actor } from '../access/index.ts';
import type { ChainView, ManageChains } from './manage-chains.ts';

/** The most days of an overview. */
export const MAX_OVERVIEW_DAYS = 92;
const DEFAULT_DAYS = 30;
const MAX_METHODS = 50;
/** The last day of the year 9999. */
const LATEST: Millis = 253_402_214_400_000;

export interface ManageOverviewDeps {
  readonly storage: Pick<Storage, 'accounts' | 'overview'>;
  readonly chains: Pick<ManageChains, 'list'>;
  readonly clock: Clock;
}

/** The account of an overview, and its days, which contain the given times. */
export interface OverviewInput {
  /** By default the actor's own account; for an admin all accounts. */
  readonly accountId?: AccountId | undefined;
  /** 30 days before `to` by default. */
  readonly from?: Millis | undefined;
  /** The present time by default. */
  readonly to?: Millis | undefined;
}

/** The sales of one day in one coin. */
export interface DaySales {
  readonly day: Millis;
  /** `null` for orders that were accepted before the payer chose a coin. */
  readonly currency: CurrencyCode | null;
  readonly orders: number;
  /** Confirmed units of the currency. */
  readonly received: bigint;
  /** The prices of the orders in minor units, by fiat currency. */
  readonly prices: ReadonlyMap<string, bigint>;
}

export interface Overview extends OverviewQuery {
  readonly sales: readonly DaySales[];
  readonly orders: ReadonlyMap<OrderStatus, number>;
  readonly callbacks: ReadonlyMap<CallbackStatus, number>;
  readonly gatewayDays: readonly (GatewaySum & { readonly day: Millis })[];
  readonly gatewayMethods: readonly (GatewaySum & { readonly method: string })[];
  /** `null` for a user, and for the overview of one account. */
  readonly chains: readonly ChainView[] | null;
}

/** The data of the dashboard's charts. */
export class ManageOverview {
  readonly #deps: ManageOverviewDeps;

  constructor(deps: ManageOverviewDeps) {
    this.#deps = deps;
  }

  /**
   * @throws TillgateError `INVALID_FIELDS` with `from` for an empty or too long range; `NOT_FOUND` for another or an
   *   unknown account
   */
  async read(actor: Actor, { accountId: wanted, ...range }: OverviewInput): Promise<Overview> {
    const { storage, chains, clock } = this.#deps;
    const accountId = listScope(actor, wanted);
    if (accountId !== null && (await storage.accounts.find(accountId)) === null) throw accountNotFound();
    const query = { accountId, ...daysOf(range, clock.now()) };
    const { overview } = storage;
    const [orders, callbacks, gatewayDays, gatewayMethods, lags] = await Promise.all([
      overview.orders(query),
      overview.callbacks(query),
      overview.gatewayDays(query),
      overview.gatewayMethods(query, MAX_METHODS),
      accountId === null ? chains.list(actor) : null,
    ]);
    const counts = new Map<OrderStatus, number>();
    for (const { status, orders: count } of orders) counts.set(status, (counts.get(status) ?? 0) + count);
    return { ...query, sales: salesOf(orders), orders: counts, callbacks, gatewayDays, gatewayMethods, chains: lags };
  }
}

/** Whole days, UTC. */
function daysOf(
  { from, to }: Pick<OverviewInput, 'from' | 'to'>,
  now: Millis,
): { readonly from: Millis; readonly to: Millis } {
  const last = Math.min(to ?? now + 1, LATEST);
  const end = startOfDay(last + DAY_MS - 1);
  const start = startOfDay(from ?? end - DEFAULT_DAYS * DAY_MS);
  if (start >= end || (from ?? start) >= last) throw invalidField('from', 'must be before `to`');
  if (end - start > MAX_OVERVIEW_DAYS * DAY_MS)
    throw invalidField('from', `must be at most ${MAX_OVERVIEW_DAYS} days before \`to\``);
  return { from: start, to: end };
}

const isSale = ({ status }: OrderSum): boolean => status === 'SUCCESS' || status === 'RESOLVED';

function salesOf(sums: readonly OrderSum[]): readonly DaySales[] {
  const sales = new Map<string, DaySales & { readonly prices: Map<string, bigint> }>();
  for (const { day, currency, vsCurrency, orders, received, vsPrice } of sums.filter(isSale)) {
    const key = `${day} ${currency ?? ''}`;
    const former = sales.get(key) ?? { day, currency, orders: 0, received: 0n, prices: new Map<string, bigint>() };
    former.prices.set(vsCurrency, (former.prices.get(vsCurrency) ?? 0n) + vsPrice);
    sales.set(key, { ...former, orders: former.orders + orders, received: former.received + received });
  }
  return [...sales.values()];
}
