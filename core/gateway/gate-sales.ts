import { addApp, newApp } from '../accounts/apps.ts';
import type { AssetCatalogue, ChainCode, CurrencyCode } from '../kernel/asset.ts';
import { isTillgateError, TillgateError } from '../kernel/errors.ts';
import { findFiat } from '../kernel/fiat.ts';
import { present } from '../kernel/guard.ts';
import { hex } from '../kernel/hex.ts';
import { isId } from '../kernel/ids.ts';
import type { AccountId, AppId, OrderId } from '../kernel/ids.ts';
import { compareDecimals, toUnits } from '../kernel/decimal.ts';
import { settledIfPossible } from '../keys/app-keys.ts';
import { makeKey, openKey } from '../keys/issued-key.ts';
import type { IssuedKey, KeyMaker } from '../keys/issued-key.ts';
import type { CreateOrder } from '../orders/create-order.ts';
import type { Order } from '../orders/order.ts';
import type { ChainRegistry } from '../ports/chain-adapter.ts';
import type { Digest } from '../ports/digest.ts';
import type { GateOfferView } from '../ports/prepaid-store.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { RateBook } from '../rates/rate-book.ts';
import type { PullOffer, PullOutcome, RequestPull, SentAuthorization } from '../transfers/request-pull.ts';
import type { Plan, PlanSales } from './plan.ts';

export interface GateSalesDeps extends KeyMaker {
  readonly storage: Pick<Storage, 'accounts' | 'apps' | 'feed' | 'orders' | 'prepaid' | 'transaction'>;
  readonly createOrder: Pick<CreateOrder, 'payInfo'>;
  readonly pulls: Pick<RequestPull, 'offer' | 'take' | 'find'>;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly rateBook: Pick<RateBook, 'usdWorth'>;
  readonly digest: Digest;
  /** How long an order waits to be paid, in milliseconds. */
  readonly orderTimeoutMs: number;
  /** `null` where nothing is sold. */
  readonly sales: PlanSales | null;
}

/** A payment that came with a request to the gate. */
export interface GatePayment {
  /** The secret that came with it. */
  readonly ticket: string;
  readonly sent: SentAuthorization;
  /** The App whose key the request had; `null` for none: then it is for a new one. */
  readonly appId: AppId | null;
  /** The plans that the route sells. */
  readonly plans: readonly string[];
  /** The chains whose routes sell a plan: a new App may use them. */
  readonly chainsOf: (plan: string) => readonly ChainCode[];
}

/** How far a payment at the gate has come. */
export interface GatePurchase {
  readonly appId: AppId;
  readonly pull: PullOutcome;
  /** True once the App has its units. */
  readonly credited: boolean;
  /** The key of a new App; `null` for an App that was there. */
  readonly key: IssuedKey | null;
}

/** One order for each token: more would make a long header. */
const MOST_TOKENS = 5;
const TICKET = /^(\d{1,32})\.([0-9a-f]{32})$/;
const TICKET_BYTES = 16;

const refusal = (why: string): TillgateError =>
  new TillgateError('INVALID_FIELDS', `The payment is refused: ${why}. Pay what PAYMENT-REQUIRED asks for now.`);

/** Plans that are paid by the request itself (decisions, section 16; decision 0053). */
export class GateSales {
  readonly #deps: GateSalesDeps;

  constructor(deps: GateSalesDeps) {
    this.#deps = deps;
  }

  /**
   * New offers of the cheapest of these plans, one for each token that takes authorizations. Nobody is told of them before
   * they are stored.
   *
   * @param kept - tokens that need none
   * @throws TillgateError `NOT_READY` where nothing can be sold; as {@link CreateOrder.payInfo} where no offer could be made
   */
  async offer(plans: readonly string[], kept: ReadonlySet<CurrencyCode>): Promise<readonly PullOffer[]> {
    const { sales } = this.#deps;
    const sold = sales?.plans.filter(({ name }) => plans.includes(name)) ?? [];
    if (sales === null || sold.length === 0)
      throw new TillgateError('NOT_READY', 'No plan of the gateway is among those of the setting gateway.sales.');
    await this.#requireActive(sales.accountId, sales.agentsId);
    const plan = await this.#cheapest(sold);
    const offers: PullOffer[] = [];
    let failure: unknown = null;
    for (const { chain, currency } of await this.#payable()) {
      if (kept.has(currency)) continue;
      try {
        offers.push(await this.#make(sales.accountId, plan, chain, currency));
      } catch (error) {
        if (!isTillgateError(error)) throw error;
        failure = error;
      }
    }
    if (offers.length === 0 && failure !== null) throw failure as TillgateError;
    return offers;
  }

  /** An offer as it is now; `null` when nobody can pay it any more. */
  async again({ order }: PullOffer): Promise<PullOffer | null> {
    const stored = await this.#deps.storage.prepaid.gateOffer(order.id);
    if (stored?.taken !== null) return null;
    return this.#deps.pulls.offer(order.checkoutToken).catch((error: unknown) => {
      if (isTillgateError(error, 'STATE_CONFLICT')) return null;
      throw error;
    });
  }

  /** A secret for the next payer of an offer. */
  ticketOf({ order }: PullOffer): string {
    const secret = this.#deps.random.bytes(TICKET_BYTES);
    return `${order.id}.${hex(secret)}`;
  }

  /**
   * Takes a payment: stores its transfer, the App with its key where it is for a new one, and the purchase, in one transaction.
   * The same payment again changes nothing, and answers how far it has come.
   *
   * @throws TillgateError as {@link RequestPull.take}; `INVALID_FIELDS` for a payment that is for no offer of these plans, for one
   * that somebody else has taken, or that came with another ticket or for another App before; `STATE_CONFLICT` while another payment for
   * the App is under way
   */
  async pay(payment: GatePayment): Promise<GatePurchase> {
    const { storage, pulls } = this.#deps;
    const found = await this.#find(payment.ticket);
    if (found.taken === null) {
      if (!payment.plans.includes(found.plan)) throw refusal('the gateway does not sell its plan');
      const order = await this.#order(found.orderId);
      const key = payment.appId === null ? makeKey(this.#deps, this.#deps.ids.next() as AppId) : null;
      await pulls.take(order.checkoutToken, payment.sent, (tx) => this.#take(tx, found, payment, key));
      // Nobody has the key before every instance knows it.
      await settledIfPossible(storage);
    }
    const stored = present(await storage.prepaid.gateOffer(found.orderId), 'an offer of the gate');
    return this.#outcome(stored, payment);
  }

  /** How far a payment has come. It must be the payer's own: the signature is public by then, and the ticket is not. */
  async #outcome(stored: GateOfferView, { ticket, sent, appId }: GatePayment): Promise<GatePurchase> {
    const { storage, pulls, digest, vault, clock } = this.#deps;
    const { taken, state, orderId } = stored;
    if (taken?.ticketHash !== digest.sha256Hex(ticket)) throw refusal('its offer is taken');
    const pull = await pulls.find((await this.#order(orderId)).checkoutToken, sent.authorization);
    if (pull === null) throw refusal('its offer is taken');
    const { keyId } = taken;
    if (keyId === null && appId !== taken.appId) throw refusal('it was for another App');
    const keys = keyId === null ? [] : await storage.apps.keys(taken.appId);
    const key = keys.find(({ id }) => id === keyId);
    return {
      ...{ appId: taken.appId, pull, credited: state === 'CREDITED' },
      key: key === undefined ? null : openKey(vault, key, clock.now()),
    };
  }

  /** With the transfer of the payment. */
  async #take(
    tx: Transaction,
    { orderId, plan, units }: GateOfferView,
    { ticket, sent, appId, chainsOf }: GatePayment,
    key: IssuedKey | null,
  ): Promise<void> {
    const { digest, clock, random } = this.#deps;
    const agentsId = present(this.#deps.sales, 'gateway.sales').agentsId;
    if (key === null) await this.#requireIdle(tx, present(appId, 'an App'));
    else {
      if ((await tx.apps.accountStatus(agentsId)) !== 'active') throw notActive();
      const name = `x402 ${sent.authorization.from}`;
      const input = { accountId: agentsId, name, chains: chainsOf(plan), prepaid: true };
      await addApp(tx, newApp(input, key.key.appId, clock.now()), key, random);
    }
    const buyer = key?.key.appId ?? present(appId, 'an App');
    const taking = { appId: buyer, keyId: key?.key.id ?? null, ticketHash: digest.sha256Hex(ticket) };
    await tx.prepaid.add({ orderId, appId: buyer, plan, units, createdAt: clock.now() });
    if (!(await tx.prepaid.takeGateOffer(orderId, taking))) throw refusal('its offer is taken');
  }

  /** One payment for an App after another, or a client that does not wait would pay twice. */
  async #requireIdle(tx: Transaction, appId: AppId): Promise<void> {
    if ((await tx.apps.lock(appId))?.prepaid !== true) throw refusal('the App is not prepaid');
    const since = this.#deps.clock.now() - 2 * this.#deps.orderTimeoutMs;
    if (await tx.prepaid.isPayingAtGate(appId, since))
      throw new TillgateError('STATE_CONFLICT', 'Another payment for this App is under way; wait for it.');
  }

  async #find(ticket: string): Promise<GateOfferView> {
    const orderId = TICKET.exec(ticket)?.[1] ?? '';
    const found = isId(orderId) ? await this.#deps.storage.prepaid.gateOffer(orderId as OrderId) : null;
    if (found === null) throw refusal('its ticket is not one of this gateway');
    return found;
  }

  async #order(id: OrderId): Promise<Order> {
    return present(await this.#deps.storage.orders.find(id), 'the order of an offer');
  }

  async #make(accountId: AccountId, plan: Plan, chain: ChainCode, currency: CurrencyCode): Promise<PullOffer> {
    const { storage, createOrder, pulls } = this.#deps;
    const { name, units, vsCurrency, vsPrice } = plan;
    const order = await createOrder.payInfo(
      { accountId, credentialId: null, via: 'token' },
      { chain, currency, vsCurrency, vsPrice },
    );
    // Killed before this, the till has an order that nobody knows.
    const offer = { orderId: order.id, plan: name, units, createdAt: order.createdAt };
    await storage.transaction(({ prepaid }) => prepaid.addGateOffer(offer));
    return pulls.offer(order.checkoutToken);
  }

  async #payable(): Promise<readonly { readonly chain: ChainCode; readonly currency: CurrencyCode }[]> {
    const payable = [];
    for (const { chain, currency, kind } of this.#deps.assets.enabled()) {
      if (payable.length === MOST_TOKENS) break;
      if (kind === 'token' && (await this.#takesAuthorizations(chain, currency))) payable.push({ chain, currency });
    }
    return payable;
  }

  /** False also while its chain's node is away. */
  async #takesAuthorizations(chain: ChainCode, currency: CurrencyCode): Promise<boolean> {
    const authorizations = this.#deps.chains.get(chain)?.payments?.authorizations;
    if (authorizations === undefined) return false;
    try {
      return (await authorizations.terms(currency)) !== null;
    } catch (error) {
      if (isTillgateError(error)) return false;
      throw error;
    }
  }

  async #cheapest(plans: readonly Plan[]): Promise<Plan> {
    const priced = [];
    for (const plan of plans) {
      const fiat = present(findFiat(plan.vsCurrency), plan.vsCurrency);
      const units = present(toUnits(plan.vsPrice, fiat.decimals), 'a price');
      priced.push({ plan, worth: await this.#deps.rateBook.usdWorth(fiat, units) });
    }
    priced.sort((a, b) => compareDecimals(a.worth, b.worth));
    return present(priced[0], 'a plan').plan;
  }

  async #requireActive(...ids: readonly AccountId[]): Promise<void> {
    for (const id of ids) if ((await this.#deps.storage.accounts.find(id))?.status !== 'active') throw notActive();
  }
}

const notActive = (): TillgateError =>
  new TillgateError(
    'NOT_READY',
    'The accounts that sell plans and own the Apps of agents (gateway.sales) are not active.',
  );
