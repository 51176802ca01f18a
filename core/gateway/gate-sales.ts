import { addApp, newApp } from './apps.ts';
import type {
  AccountId,
  AppId,
  AssetCatalogue,
  ChainCode,
  CurrencyCode,
  Digest,
  OrderId,
  Storage,
  Transaction,
} from '../kernel/index.ts';
import {
  compareDecimals,
  findFiat,
  hex,
  isId,
  isTillgateError,
  present,
  TillgateError,
  toUnits,
} from '../kernel/index.ts';
import { settledIfPossible } from './app-keys.ts';
import { makeKey, openKey } from './app-key.ts';
import type { IssuedKey, KeyMaker } from './app-key.ts';
import type { CreateOrder, Order } from '../orders/index.ts';
import type { ChainRegistry } from '../chain/index.ts';
import type { GateOfferView } from './prepaid-store.ts';
import type { RateBook } from '../ledger/index.ts';
import type { ChargeOffer, ChargeOutcome, RequestCharge, SentAuthorization } from '../payouts/index.ts';
import type { Plan, PlanSales } from './plan.ts';

export interface GateSalesDeps extends KeyMaker {
  readonly storage: Pick<Storage, 'accounts' | 'apps' | 'feed' | 'orders' | 'prepaid' | 'transaction'>;
  readonly createOrder: Pick<CreateOrder, 'inCoin'>;
  readonly charges: Pick<RequestCharge, 'offer' | 'take' | 'find'>;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly rateBook: Pick<RateBook, 'usdWorth'>;
  readonly digest: Digest;
  /** How long an order may be paid, in milliseconds. */
  readonly orderTimeoutMs: number;
  /** `null` where nothing is sold. */
  readonly sales: PlanSales | null;
}

/** A payment that was sent with a request to the gate. */
export interface GatePayment {
  /** The secret that was sent with the payment. */
  readonly ticket: string;
  readonly sent: SentAuthorization;
  /** The App of the request's key; `null` without a key, for a payment that creates a new App. */
  readonly appId: AppId | null;
  readonly plans: readonly string[];
  /** The chains whose routes sell a plan; a new App may use them. */
  readonly chainsOf: (plan: string) => readonly ChainCode[];
}

/** The progress of a payment at the gate. */
export interface GatePurchase {
  readonly appId: AppId;
  readonly charge: ChargeOutcome;
  /** True once the App has its units. */
  readonly credited: boolean;
  /** The key of a new App; `null` for an existing App. */
  readonly key: IssuedKey | null;
}

/** One order is offered for each token; more would make the header too long. */
const MOST_TOKENS = 5;
const TICKET = /^(\d{1,32})\.([0-9a-f]{32})$/;
const TICKET_BYTES = 16;

const refusal = (why: string): TillgateError =>
  new TillgateError('INVALID_FIELDS', `The payment is refused: ${why}. Pay as the new PAYMENT-REQUIRED header says.`);

/** Sells plans that are paid by the request itself (core/decisions/x402.md). */
export class GateSales {
  readonly #deps: GateSalesDeps;

  constructor(deps: GateSalesDeps) {
    this.#deps = deps;
  }

  /**
   * New offers of the cheapest of these plans, one for each token that supports authorizations. They are stored before
   * they are published.
   *
   * @param kept - tokens that need no new offer
   * @throws TillgateError `NOT_READY` where nothing can be sold; as {@link CreateOrder.inCoin} where no offer could be
   *   made
   */
  async offer(plans: readonly string[], kept: ReadonlySet<CurrencyCode>): Promise<readonly ChargeOffer[]> {
    const { sales } = this.#deps;
    const sold = sales?.plans.filter(({ name }) => plans.includes(name)) ?? [];
    if (sales === null || sold.length === 0)
      throw new TillgateError('NOT_READY', 'The gateway sells no plan that the setting gateway.sales defines.');
    await this.#requireActive(sales.accountId, sales.agentsId);
    const plan = await this.#cheapest(sold);
    const offers: ChargeOffer[] = [];
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

  /** The present state of an offer; `null` when it can no longer be paid. */
  async again({ order }: ChargeOffer): Promise<ChargeOffer | null> {
    const stored = await this.#deps.storage.prepaid.gateOffer(order.id);
    if (stored?.taken !== null) return null;
    return this.#deps.charges.offer(order.checkoutToken).catch((error: unknown) => {
      if (isTillgateError(error, 'STATE_CONFLICT')) return null;
      throw error;
    });
  }

  /** A secret for the next payer of an offer. */
  ticketOf({ order }: ChargeOffer): string {
    const secret = this.#deps.random.bytes(TICKET_BYTES);
    return `${order.id}.${hex(secret)}`;
  }

  /**
   * Accepts a payment: stores its transfer, the purchase and, for a new App, the App with its key, in one transaction.
   * Repeating the same payment changes nothing, and returns its progress.
   *
   * @throws TillgateError as {@link RequestCharge.take}; `INVALID_FIELDS` for a payment that is for no offer of these
   *   plans, for an offer that another payer has taken, or that was sent with another ticket or for another App before;
   *   `STATE_CONFLICT` while another payment for the App is in progress
   */
  async pay(payment: GatePayment): Promise<GatePurchase> {
    const { storage, charges } = this.#deps;
    const found = await this.#find(payment.ticket);
    if (found.taken === null) {
      if (!payment.plans.includes(found.plan)) throw refusal('the gateway does not sell its plan');
      const order = await this.#order(found.orderId);
      const key = payment.appId === null ? makeKey(this.#deps, this.#deps.ids.next() as AppId) : null;
      await charges.take(order.checkoutToken, payment.sent, (tx) => this.#take(tx, found, payment, key));
      // The key is returned only after every instance has it.
      await settledIfPossible(storage);
    }
    const stored = present(await storage.prepaid.gateOffer(found.orderId), 'an offer of the gate');
    return this.#outcome(stored, payment);
  }

  /** The progress of a payment. The ticket must be the payer's own, because the signature is public by then. */
  async #outcome(stored: GateOfferView, { ticket, sent, appId }: GatePayment): Promise<GatePurchase> {
    const { storage, charges, digest, vault, clock } = this.#deps;
    const { taken, state, orderId } = stored;
    if (taken?.ticketHash !== digest.sha256Hex(ticket)) throw refusal('its offer was already used');
    const charge = await charges.find((await this.#order(orderId)).checkoutToken, sent.authorization);
    if (charge === null) throw refusal('its offer was already used');
    const { keyId } = taken;
    if (keyId === null && appId !== taken.appId) throw refusal('it was for another App');
    const keys = keyId === null ? [] : await storage.apps.keys(taken.appId);
    const key = keys.find(({ id }) => id === keyId);
    return {
      ...{ appId: taken.appId, charge, credited: state === 'CREDITED' },
      key: key === undefined ? null : openKey(vault, key, clock.now()),
    };
  }

  /** Stores the purchase in the transaction of the payment's transfer. */
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
      const buyer = sent.authorization.from.toLowerCase();
      const input = {
        accountId: agentsId,
        name: `x402 ${sent.authorization.from}`,
        chains: chainsOf(plan),
        prepaid: true,
        buyer,
      };
      await addApp(tx, newApp(input, key.key.appId, clock.now()), key, random);
    }
    const buyer = key?.key.appId ?? present(appId, 'an App');
    const taking = { appId: buyer, keyId: key?.key.id ?? null, ticketHash: digest.sha256Hex(ticket) };
    await tx.prepaid.add({ orderId, appId: buyer, plan, units, createdAt: clock.now() });
    if (!(await tx.prepaid.takeGateOffer(orderId, taking))) throw refusal('its offer was already used');
  }

  /** One payment at a time for an App, because a client that does not wait would pay twice. */
  async #requireIdle(tx: Transaction, appId: AppId): Promise<void> {
    if ((await tx.apps.lock(appId))?.prepaid !== true) throw refusal('the App is not prepaid');
    const since = this.#deps.clock.now() - 2 * this.#deps.orderTimeoutMs;
    if (await tx.prepaid.isPayingAtGate(appId, since))
      throw new TillgateError('STATE_CONFLICT', 'Another payment for this App is under way; wait for it.');
  }

  async #find(ticket: string): Promise<GateOfferView> {
    const orderId = TICKET.exec(ticket)?.[1] ?? '';
    const found = isId(orderId) ? await this.#deps.storage.prepaid.gateOffer(orderId as OrderId) : null;
    if (found === null) throw refusal('its ticket was not issued by this gateway');
    return found;
  }

  async #order(id: OrderId): Promise<Order> {
    return present(await this.#deps.storage.orders.find(id), 'the order of an offer');
  }

  async #make(accountId: AccountId, plan: Plan, chain: ChainCode, currency: CurrencyCode): Promise<ChargeOffer> {
    const { storage, createOrder, charges } = this.#deps;
    const { name, units, vsCurrency, vsPrice } = plan;
    const order = await createOrder.inCoin(
      { accountId, credentialId: null, via: 'token' },
      { chain, currency, vsCurrency, vsPrice },
    );
    // If the process is killed before this, the till has an order that no payer can see.
    const offer = { orderId: order.id, plan: name, units, createdAt: order.createdAt };
    await storage.transaction(({ prepaid }) => prepaid.addGateOffer(offer));
    return charges.offer(order.checkoutToken);
  }

  async #payable(): Promise<readonly { readonly chain: ChainCode; readonly currency: CurrencyCode }[]> {
    const payable = [];
    for (const { chain, currency, kind } of this.#deps.assets.enabled()) {
      if (payable.length === MOST_TOKENS) break;
      if (kind === 'token' && (await this.#takesAuthorizations(chain, currency))) payable.push({ chain, currency });
    }
    return payable;
  }

  /** Also false while the chain's node is unavailable. */
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
