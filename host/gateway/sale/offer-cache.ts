import type { Clock, GateSales, Logger, ChargeOffer } from '../../../core/index.ts';

/** An offer with less time left than this is replaced by another order. */
const LEAST_LEFT_MS = 60_000;
/** The longest that a request waits for an offer before it is refused without one. */
const WAIT_MS = 2_000;
/** After a failure no offer is made for this time. */
const REST_MS = 5_000;

/** The offers of routes that sell the same plans. */
interface Offers {
  readonly plans: readonly string[];
  open: readonly ChargeOffer[];
  /** True if there is one offer for each token, as far as is known. */
  complete: boolean;
  making: Promise<void> | null;
  /** By `performance.now()`. */
  restsUntil: number;
}

export interface OfferCacheDeps {
  readonly sales: Pick<GateSales, 'offer' | 'again'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The time in which an order can be paid, in milliseconds. */
  readonly orderTimeoutMs: number;
}

/**
 * The offers of this instance to clients without a key or without units left. All clients get the same orders: one
 * request at a time makes another order when one is taken or is about to expire.
 */
export class OfferCache {
  readonly #deps: OfferCacheDeps;
  readonly #byPlans = new Map<string, Offers>();

  constructor(deps: OfferCacheDeps) {
    this.#deps = deps;
  }

  /** The open offers; `null` when some must be made first. */
  ready(plans: readonly string[]): readonly ChargeOffer[] | null {
    const offers = this.#of(plans);
    this.#dropOld(offers);
    const rests = performance.now() < offers.restsUntil;
    return offers.complete || rests || this.#tooShort ? offers.open : null;
  }

  /** The open offers, once they are made; those that could not be made in time are omitted. */
  async get(plans: readonly string[]): Promise<readonly ChargeOffer[]> {
    const ready = this.ready(plans);
    if (ready !== null) return ready;
    const offers = this.#of(plans);
    offers.making ??= this.#make(offers).finally(() => (offers.making = null));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAIT_MS).unref()));
    await Promise.race([offers.making, late]);
    clearTimeout(timer);
    return offers.open;
  }

  /** Reads an offer again after somebody has paid it or tried to. */
  async check(orderId: string): Promise<void> {
    for (const offers of this.#byPlans.values()) {
      const offer = offers.open.find(({ order }) => order.id === orderId);
      if (offer === undefined) continue;
      const now = await this.#deps.sales.again(offer);
      if (now === null) offers.complete = false;
      offers.open = offers.open.flatMap((each) => (each.order.id === orderId ? (now ?? []) : each));
    }
  }

  get #tooShort(): boolean {
    return this.#deps.orderTimeoutMs < 2 * LEAST_LEFT_MS;
  }

  async #make(offers: Offers): Promise<void> {
    const kept = new Set(offers.open.map(({ payment }) => payment.currency));
    try {
      const made = await this.#deps.sales.offer(offers.plans, kept);
      offers.open = [...offers.open, ...made];
      offers.complete = true;
    } catch (error) {
      this.#deps.logger.warn('the gateway could not make an offer for clients without a key', { error });
      offers.restsUntil = performance.now() + REST_MS;
    }
  }

  #dropOld(offers: Offers): void {
    const until = this.#deps.clock.now() + LEAST_LEFT_MS;
    if (offers.open.every(({ order }) => order.expiresAt >= until)) return;
    offers.open = offers.open.filter(({ order }) => order.expiresAt >= until);
    offers.complete = false;
  }

  #of(plans: readonly string[]): Offers {
    const name = plans.join(',');
    const known = this.#byPlans.get(name);
    if (known !== undefined) return known;
    const offers: Offers = { plans, open: [], complete: false, making: null, restsUntil: 0 };
    this.#byPlans.set(name, offers);
    return offers;
  }
}
