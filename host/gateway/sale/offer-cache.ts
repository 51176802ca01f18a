import type { Clock, GateSales, Logger, PullOffer } from '../../../core/index.ts';

/** An offer that has less time left than this is replaced by another order. */
const LEAST_LEFT_MS = 60_000;
/** A request waits so long for an offer, and is refused without one then. */
const WAIT_MS = 2_000;
/** After a failure nothing is tried for so long. */
const REST_MS = 5_000;

/** The offers of routes that sell the same plans. */
interface Offers {
  readonly plans: readonly string[];
  open: readonly PullOffer[];
  /** True while there is one for each token, as far as is known. */
  complete: boolean;
  making: Promise<void> | null;
  /** By `performance.now()`. */
  restsUntil: number;
}

export interface OfferCacheDeps {
  readonly sales: Pick<GateSales, 'offer' | 'again'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long an order waits to be paid, in milliseconds. */
  readonly orderTimeoutMs: number;
}

/**
 * What this instance offers to whoever comes without a key, or has nothing left. All who ask get the same orders: another one is
 * made when an order is taken or its time is nearly over, and by one request at a time.
 */
export class OfferCache {
  readonly #deps: OfferCacheDeps;
  readonly #byPlans = new Map<string, Offers>();

  constructor(deps: OfferCacheDeps) {
    this.#deps = deps;
  }

  /** The open offers; `null` when some have to be made first. */
  ready(plans: readonly string[]): readonly PullOffer[] | null {
    const offers = this.#of(plans);
    this.#dropOld(offers);
    const rests = performance.now() < offers.restsUntil;
    return offers.complete || rests || this.#tooShort ? offers.open : null;
  }

  /** The open offers, once they are made, or without what could not be made in time. */
  async get(plans: readonly string[]): Promise<readonly PullOffer[]> {
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

  /** Looks again at an offer that somebody has paid, or has tried to. */
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
      this.#deps.logger.warn('the gateway has no offer for those who come without a key', { error });
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
