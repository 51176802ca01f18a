import type { AppId, Clock, Storage } from '../kernel/index.ts';
import { TillgateError } from '../kernel/index.ts';
import type { PrepaidUnits, PurchaseView } from './prepaid-store.ts';
import type { CreateOrder, Order, OrderQueries } from '../orders/index.ts';
import type { Plan, PlanSales } from './plan.ts';

export interface TopUpsDeps {
  readonly storage: Pick<Storage, 'accounts' | 'prepaid' | 'transaction'>;
  readonly createOrder: Pick<CreateOrder, 'hosted'>;
  readonly queries: Pick<OrderQueries, 'payUrl'>;
  readonly clock: Clock;
  /** How long an order may be paid, in milliseconds. */
  readonly orderTimeoutMs: number;
  /** `null` where nothing is sold. */
  readonly sales: PlanSales | null;
  /** The base URL for payers, without a slash at the end. */
  readonly baseUrl: { readonly url: string };
}

/** The units of an App, and the plans that can be bought. */
export interface PrepaidView {
  readonly units: PrepaidUnits;
  readonly left: number;
  readonly plans: readonly Plan[];
  /** The page where anyone with its URL can buy units for the App. */
  readonly topUpUrl: string;
}

/** An order for a plan. */
export interface TopUp {
  readonly order: Order;
  readonly plan: Plan;
  readonly payUrl: string;
}

/** The most unpaid orders of one App, because each is one of the seller's open orders. */
const MOST_OPEN = 20;
const SHOWN_PURCHASES = 20;

const noSuchApp = (): TillgateError => new TillgateError('NOT_FOUND', 'There is no such prepaid App.');

/** The URL of the page that sells units, by its token. */
export function topUpPage(baseUrl: string, token: string): string {
  return `${baseUrl}/top-up/${token}`;
}

/** Sells plans to owners of Apps by orders of the till (core/decisions/gateway-usage.md). */
export class TopUps {
  readonly #deps: TopUpsDeps;

  constructor(deps: TopUpsDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND` for an App that is not prepaid */
  async find(appId: AppId): Promise<PrepaidView> {
    return this.#view(await this.#deps.storage.prepaid.find(appId));
  }

  /** @throws TillgateError `NOT_FOUND` for an unknown token */
  async findByToken(token: string): Promise<PrepaidView> {
    return this.#view(await this.#deps.storage.prepaid.findByToken(token));
  }

  purchases(appId: AppId): Promise<readonly PurchaseView[]> {
    return this.#deps.storage.prepaid.purchases(appId, SHOWN_PURCHASES);
  }

  /**
   * Orders a plan. The transaction that books the payment also credits the App's units.
   *
   * @throws TillgateError `NOT_FOUND` for an App that is not prepaid; `INVALID_FIELDS` for an unknown plan;
   *   `STATE_CONFLICT` while too many orders are unpaid; `NOT_READY` when the seller's account is missing; as {@link
   *   CreateOrder.hosted}
   */
  async buy({ units: { appId, token } }: PrepaidView, planName: string): Promise<TopUp> {
    const { storage, createOrder, queries, clock, baseUrl, orderTimeoutMs } = this.#deps;
    const sales = this.#sales();
    const plan = sales.plans.find(({ name }) => name === planName);
    if (plan === undefined) throw unknownPlan(sales.plans);
    const since = clock.now() - orderTimeoutMs;
    // Checked before an order is created, because it counts as one of the seller's open orders.
    if ((await storage.prepaid.countOpen(appId, since)) >= MOST_OPEN) throw tooManyOpen();
    const seller = await storage.accounts.find(sales.accountId);
    if (seller?.status !== 'active')
      throw new TillgateError('NOT_READY', 'The account that sells plans (gateway.sales.account) is not active.');
    const { units, vsCurrency, vsPrice } = plan;
    const order = await createOrder.hosted(
      { accountId: sales.accountId, credentialId: null, via: 'token' },
      { vsCurrency, vsPrice, links: { succeedUrl: topUpPage(baseUrl.url, token) } },
    );
    // The order's address is not published yet: if the process is killed before this, the till has an order that nobody
    // can pay.
    const purchase = { orderId: order.id, appId, plan: plan.name, units, createdAt: order.createdAt };
    await storage.transaction(({ prepaid }) => prepaid.add(purchase));
    return { order, plan, payUrl: queries.payUrl(order) };
  }

  #view(units: PrepaidUnits | null): PrepaidView {
    if (units === null) throw noSuchApp();
    const { sales, baseUrl } = this.#deps;
    return {
      units,
      left: units.bought - units.used,
      plans: sales?.plans ?? [],
      topUpUrl: topUpPage(baseUrl.url, units.token),
    };
  }

  #sales(): PlanSales {
    if (this.#deps.sales !== null) return this.#deps.sales;
    throw new TillgateError('NOT_READY', 'No plans are sold here: the setting gateway.sales is missing.');
  }
}

const tooManyOpen = (): TillgateError =>
  new TillgateError('STATE_CONFLICT', `${MOST_OPEN} orders for this App wait to be paid: pay one of them, or wait.`);

function unknownPlan(plans: readonly Plan[]): TillgateError {
  const names = plans.map(({ name }) => name).join(', ');
  return new TillgateError('INVALID_FIELDS', 'There is no such plan.', {
    fields: [{ path: 'plan', message: `must be one of ${names}` }],
  });
}
