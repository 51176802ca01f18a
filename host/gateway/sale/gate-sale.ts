import { setTimeout as pause } from 'node:timers/promises';
import { RateLimit } from '../../../adapters/http/rate-limits.ts';
import { isRefusal, isTillgateError, readTarget, refuse } from '../../../core/index.ts';
import type {
  Allowance,
  Clock,
  GatePayment,
  GatePurchase,
  GateSales,
  GatewayRouteTable,
  KeyDirectory,
  Logger,
  ChargeOffer,
  Refusal,
} from '../../../core/index.ts';
import { paymentRequired, paymentResponse, readPayment, requirementsOf } from '../../x402/payment-headers.ts';
import type { SentPayment } from '../../x402/payment-headers.ts';
import { PAYMENT_POLL_MS, PAYMENT_WAIT_MS } from '../../x402/payment-wait.ts';
import { clientOf, headerValues } from '../client-of.ts';
import { newRequestHeadCache } from '../request-head-cache.ts';
import { newRequestContext } from '../request-context.ts';
import type { RequestContext } from '../request-context.ts';
import { OfferCache } from './offer-cache.ts';

/** The outcome of a request that was refused because it has no key or its App has no units left. */
export type SaleOutcome =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It continues with an App's key. */
  | { readonly kind: 'paid'; readonly headers: readonly string[]; readonly context: RequestContext };

/** Sells plans with refusals. */
export interface Seller {
  /** The refusal with the offers; `null` when {@link Seller.serve} must be called. */
  offered(context: RequestContext, refusal: Refusal): Refusal | null;
  serve(context: RequestContext, refusal: Refusal): Promise<SaleOutcome>;
  /**
   * The seller for a paid request: it offers plans again when the App lacks units, and never charges the payment twice.
   */
  readonly again: Seller;
}

export interface GatewaySales {
  readonly sales: Pick<GateSales, 'offer' | 'again' | 'pay' | 'ticketOf'>;
  /** The time in which an order can be paid, in milliseconds. */
  readonly orderTimeoutMs: number;
  /** The maximum number of payments from one client address in a minute. */
  readonly payerWritesPerMinute: () => number;
}

export interface GateSaleDeps extends GatewaySales {
  /** The number of trusted proxies in front. */
  readonly trustedHops: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: KeyDirectory;
  readonly allowance: Allowance;
  readonly routes: () => GatewayRouteTable;
}

/** The longest that an instance may need to load a purchase. */
const READY_MS = 3_000;
const READY_POLL_MS = 50;
const PENDING_RETRY_SECONDS = 5;
const NEEDED = 'An App key or a payment is needed: the header PAYMENT-REQUIRED describes the payment (x402).';

/** True for a refusal that offers the route's plans. */
export function isSellable({ live }: RequestContext, { reason, topUpUrl }: Refusal): boolean {
  if (live === null || live.route.plans.length === 0 || !live.route.enabled) return false;
  return reason === 'key_missing' || topUpUrl !== null;
}

/** Plans that are paid by the request itself, over x402 (core/decisions/x402.md). */
export class GateSale implements Seller {
  readonly #deps: GateSaleDeps;
  readonly #offers: OfferCache;
  readonly #limit: RateLimit;

  constructor(deps: GateSaleDeps) {
    this.#deps = deps;
    this.#offers = new OfferCache(deps);
    this.#limit = new RateLimit(deps.payerWritesPerMinute);
  }

  offered(context: RequestContext, refusal: Refusal): Refusal | null {
    return paymentOf(context) === null ? this.#ready(context, refusal) : null;
  }

  async serve(context: RequestContext, refusal: Refusal): Promise<SaleOutcome> {
    const sent = paymentOf(context);
    if (sent === null) return this.#refused(context, refusal, NEEDED);
    try {
      await this.#limit.take(clientOf(context, this.#deps.trustedHops()));
      return await this.#pay(context, refusal, readPayment(sent));
    } catch (error) {
      return this.#failed(context, refusal, error);
    }
  }

  readonly again: Seller = {
    offered: (context, refusal) => this.#ready(context, refusal),
    serve: (context, refusal) => this.#refused(context, refusal, NEEDED),
    get again() {
      return this;
    },
  };

  async #pay(context: RequestContext, refusal: Refusal, { sent, ticket }: SentPayment): Promise<SaleOutcome> {
    if (ticket === null)
      return this.#refused(context, refusal, 'The payment has no ticket: send "accepted" as it was offered.');
    const payment = {
      ...{ ticket, sent, appId: context.auth?.key.app.id ?? null, plans: plansOf(context) },
      chainsOf: (plan: string) => this.#chainsOf(plan),
    };
    // Marked before the wait, so that no other client is offered an order that is paid.
    const taken = await this.#take(payment);
    const purchase = await this.#outcome(payment, taken);
    const { charge, credited, key } = purchase;
    const response = paymentResponse(
      { ...charge, mined: credited || charge.mined },
      sent.network,
      sent.authorization.from,
    );
    const paid = ['PAYMENT-RESPONSE', response];
    const headers = key === null ? paid : [...paid, 'Tillgate-Key', key.text];
    if (credited) {
      const keyText = key?.text ?? context.keyText;
      await this.#learned(keyText);
      return { kind: 'paid', headers, context: paidContext(context, keyText) };
    }
    if (hasFailed(purchase)) return this.#refused(context, refusal, 'The payment has failed.', paid);
    const pending = refuse('payment_pending', { retryAfterSeconds: PENDING_RETRY_SECONDS, headers });
    return { kind: 'refused', refusal: pending };
  }

  async #take(payment: GatePayment): Promise<GatePurchase> {
    try {
      return await this.#deps.sales.pay(payment);
    } finally {
      await this.#look(payment.ticket);
    }
  }

  /** Waits until the units are credited, or the payment has failed. */
  async #outcome(payment: GatePayment, taken: GatePurchase): Promise<GatePurchase> {
    const until = performance.now() + PAYMENT_WAIT_MS;
    let purchase = taken;
    while (!purchase.credited && !hasFailed(purchase) && performance.now() < until) {
      await pause(PAYMENT_POLL_MS);
      purchase = await this.#deps.sales.pay(payment);
    }
    return purchase;
  }

  /** Waits until this instance has loaded the key, and its App has units left. */
  async #learned(keyText: string): Promise<void> {
    const until = performance.now() + READY_MS;
    while (performance.now() < until) {
      const app = this.#deps.directory.find(keyText)?.app;
      if (app !== undefined && this.#deps.allowance.prepaid.check(app, 1) === null) return;
      await pause(READY_POLL_MS);
    }
  }

  /** Updates an offer after a payment: a paid one ends, and a failed payment may have changed it. */
  async #look(ticket: string): Promise<void> {
    try {
      await this.#offers.check(ticket.slice(0, ticket.indexOf('.')));
    } catch (error) {
      this.#deps.logger.warn('an offer of the gateway could not be read again', { error });
    }
  }

  async #failed(context: RequestContext, refusal: Refusal, error: unknown): Promise<SaleOutcome> {
    if (isTillgateError(error)) {
      const { code, message, details } = error;
      if (code === 'RATE_LIMITED') {
        const retryAfterSeconds = details.retryAfterSeconds ?? 1;
        return { kind: 'refused', refusal: refuse('rate_limited', { message, retryAfterSeconds }) };
      }
      if (FOR_PAYERS.has(code)) return this.#refused(context, refusal, message);
    }
    this.#deps.logger.warn('a payment at the gateway could not be accepted', { error, trace_id: context.traceId });
    const message = 'Payments cannot be accepted at the moment; send the same payment again.';
    return { kind: 'refused', refusal: refuse('upstream_unavailable', { status: 503, message, retryAfterSeconds: 1 }) };
  }

  /** The refusal with the open offers; `null` when they must be made first. */
  #ready(context: RequestContext, refusal: Refusal): Refusal | null {
    const ready = this.#offers.ready(plansOf(context));
    return ready === null ? null : this.#demand(context, refusal, ready, NEEDED);
  }

  async #refused(
    context: RequestContext,
    refusal: Refusal,
    why: string,
    headers: readonly string[] = [],
  ): Promise<SaleOutcome> {
    const demand = this.#demand(context, refusal, await this.#offers.get(plansOf(context)), why);
    return { kind: 'refused', refusal: { ...demand, headers: [...demand.headers, ...headers] } };
  }

  /** The refusal with the offers; each reply has its own tickets. */
  #demand(context: RequestContext, refusal: Refusal, offers: readonly ChargeOffer[], why: string): Refusal {
    if (offers.length === 0) return refusal;
    const now = this.#deps.clock.now();
    const accepts = offers.map((offer) => {
      const secondsLeft = Math.max(0, Math.floor((offer.order.expiresAt - now) / 1000));
      const requirements = requirementsOf({ ...offer, secondsLeft });
      return { ...requirements, extra: { ...requirements.extra, ticket: this.#deps.sales.ticketOf(offer) } };
    });
    const resource = { url: '/', description: `Calls of ${context.live?.route.host ?? 'the gateway'}` };
    const headers = ['PAYMENT-REQUIRED', paymentRequired(resource, accepts, why)];
    const message = refusal.reason === 'key_missing' || why !== NEEDED ? why : refusal.message;
    return { ...refusal, status: 402, rpcCode: -32005, message, headers };
  }

  #chainsOf(plan: string): readonly string[] {
    const routes = [...this.#deps.routes().all()].filter(({ plans }) => plans.includes(plan));
    return [...new Set(routes.map(({ chain }) => chain))];
  }
}

/** Errors that a payer can correct. */
const FOR_PAYERS: ReadonlySet<string> = new Set(['INVALID_FIELDS', 'STATE_CONFLICT', 'NOT_FOUND', 'UNSUPPORTED']);

const hasFailed = ({ charge }: GatePurchase): boolean => charge.status === 'FAILED' && !charge.mined;
const plansOf = ({ live }: RequestContext): readonly string[] => live?.route.plans ?? [];
const paymentOf = ({ rawHeaders }: RequestContext): string | null =>
  headerValues(rawHeaders, 'payment-signature')[0] ?? null;

/** The same request with an App's key; values cached for the client's own head do not apply to it. */
function paidContext(context: RequestContext, keyText: string): RequestContext {
  const { method, target, httpVersion, rawHeaders, hostHeader, upgrade, head, live } = context;
  const protocol = live?.route.protocol ?? 'http';
  const read = readTarget(protocol, target);
  const rest = isRefusal(read) ? '/' : read.rest;
  const headCache = { ...newRequestHeadCache(), protocol, extracted: { rest, keyText } };
  const received = { method, target, httpVersion, rawHeaders, hostHeader, upgrade, head, headCache };
  return newRequestContext(context.traceId, received, context.connection);
}
