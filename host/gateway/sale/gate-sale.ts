import { setTimeout as pause } from 'node:timers/promises';
import { clientAddress } from '../../../adapters/http/client-address.ts';
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
  PullOffer,
  Refusal,
} from '../../../core/index.ts';
import { paymentRequired, paymentResponse, readPayment, requirementsOf } from '../../x402/payment-headers.ts';
import type { SentPayment } from '../../x402/payment-headers.ts';
import { PAYMENT_POLL_MS, PAYMENT_WAIT_MS } from '../../x402/payment-wait.ts';
import { newRequestHeadCache } from '../request-head-cache.ts';
import { newRequestContext } from '../request-context.ts';
import type { RequestContext } from '../request-context.ts';
import { OfferCache } from './offer-cache.ts';

/** What becomes of a request that is refused for no key, or for nothing left. */
export type SaleOutcome =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It goes on under an App's key. */
  | { readonly kind: 'paid'; readonly headers: readonly string[]; readonly context: RequestContext };

/** Sells plans with refusals. */
export interface Seller {
  /** The refusal with what is offered; `null` when {@link Seller.serve} has to be asked. */
  offered(context: RequestContext, refusal: Refusal): Refusal | null;
  /** @param peer - the address of the connection's other side */
  serve(context: RequestContext, refusal: Refusal, peer: string): Promise<SaleOutcome>;
  /** For a request that has been paid: what its App lacks is offered again, and its payment is not taken twice. */
  readonly again: Seller;
}

/** What a gateway sells, and to whom. */
export interface GatewaySales {
  readonly sales: Pick<GateSales, 'offer' | 'again' | 'pay' | 'ticketOf'>;
  /** How long an order waits to be paid, in milliseconds. */
  readonly orderTimeoutMs: number;
  /** How many payments a client's address may send in a minute. */
  readonly payerWritesPerMinute: number;
  /** How many proxies of one's own stand in front. */
  readonly trustedHops: () => number;
}

export interface GateSaleDeps extends GatewaySales {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: KeyDirectory;
  readonly allowance: Allowance;
  readonly routes: () => GatewayRouteTable;
}

/** So long an instance may need to learn of what was paid. */
const READY_MS = 3_000;
const READY_POLL_MS = 50;
const PENDING_RETRY_SECONDS = 5;
const NEEDED = 'A key, or a payment, is needed: PAYMENT-REQUIRED says what to pay (x402).';

/** True for a refusal with which plans of the route are sold. */
export function isSellable({ live }: RequestContext, { reason, topUpUrl }: Refusal): boolean {
  if (live === null || live.route.plans.length === 0 || !live.route.enabled) return false;
  return reason === 'key_missing' || topUpUrl !== null;
}

/** Plans that are paid by the request itself, over x402 (decisions, section 16; decision 0053). */
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

  async serve(context: RequestContext, refusal: Refusal, peer: string): Promise<SaleOutcome> {
    const sent = paymentOf(context);
    if (sent === null) return this.#refused(context, refusal, NEEDED);
    try {
      await this.#limit.take(this.#clientOf(context, peer));
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
    // Before the wait: others must not be sent to an order that is paid.
    const taken = await this.#take(payment);
    const purchase = await this.#outcome(payment, taken);
    const { pull, credited, key } = purchase;
    const response = paymentResponse({ ...pull, mined: credited || pull.mined }, sent.network, sent.authorization.from);
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

  /** Waits until this instance knows the key, and that its App has something left. */
  async #learned(keyText: string): Promise<void> {
    const until = performance.now() + READY_MS;
    while (performance.now() < until) {
      const app = this.#deps.directory.find(keyText)?.app;
      const { prepaid } = this.#deps.allowance;
      // A balance that was not read yet admits everything.
      if (app !== undefined && prepaid.check(app, 1) === null && prepaid.isRead(app)) return;
      await pause(READY_POLL_MS);
    }
  }

  /** An offer that was paid is none any more, and one that could not be paid may have changed. */
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
    this.#deps.logger.warn('a payment at the gateway could not be taken', { error, trace_id: context.traceId });
    const message = 'Payments cannot be taken at the moment; send the same one again.';
    return { kind: 'refused', refusal: refuse('upstream_unavailable', { status: 503, message, retryAfterSeconds: 1 }) };
  }

  /** The refusal with what is offered; `null` when that has to be made first. */
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

  /** The refusal with the offers; each reply has tickets of its own. */
  #demand(context: RequestContext, refusal: Refusal, offers: readonly PullOffer[], why: string): Refusal {
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

  #clientOf({ rawHeaders }: RequestContext, peer: string): string {
    const forwarded = headerOf(rawHeaders, 'x-forwarded-for');
    const headers = new Map(forwarded.length === 0 ? [] : [['x-forwarded-for', forwarded]]);
    return clientAddress({ peer, headers }, this.#deps.trustedHops());
  }
}

/** What a payer can do something about. */
const FOR_PAYERS: ReadonlySet<string> = new Set(['INVALID_FIELDS', 'STATE_CONFLICT', 'NOT_FOUND', 'UNSUPPORTED']);

const hasFailed = ({ pull }: GatePurchase): boolean => pull.status === 'FAILED' && !pull.mined;
const plansOf = ({ live }: RequestContext): readonly string[] => live?.route.plans ?? [];
const paymentOf = ({ rawHeaders }: RequestContext): string | null =>
  headerOf(rawHeaders, 'payment-signature')[0] ?? null;

/** The same request with an App's key; nothing that was kept for the client's own head counts for it. */
function paidContext(context: RequestContext, keyText: string): RequestContext {
  const { method, target, httpVersion, rawHeaders, hostHeader, upgrade, head, live } = context;
  const protocol = live?.route.protocol ?? 'http';
  const read = readTarget(protocol, target);
  const rest = isRefusal(read) ? '/' : read.rest;
  const headCache = { ...newRequestHeadCache(), protocol, extracted: { rest, keyText } };
  const received = { method, target, httpVersion, rawHeaders, hostHeader, upgrade, head, headCache };
  return newRequestContext(context.traceId, received);
}

/** Every value of a header. @param name - in lower case */
function headerOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if ((rawHeaders[at] as string).toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  return values;
}
