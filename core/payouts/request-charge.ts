import type {
  AssetCatalogue,
  Clock,
  EventBus,
  IdGenerator,
  Metrics,
  Storage,
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import { parseUnits, present, TillgateError } from '../kernel/index.ts';
import { liveDeposits } from '../orders/index.ts';
import type { CheckoutView, Order, OrderPayment, OrderQueries } from '../orders/index.ts';
import type {
  Authorization,
  AuthorizationTerms,
  ChainAdapter,
  ChainPayments,
  ChainRegistry,
  TokenAuthorizations,
} from '../chain/index.ts';
import type { RateBook } from '../ledger/index.ts';
import { authorizationKey, secondsLeft } from '../chain/index.ts';
import { mostChargeFee } from './charge-fees.ts';
import { isCharge, newTransfer } from './transfer.ts';
import type { PayoutView, Charge, TransferStatus } from './transfer.ts';

/** The offer to pay an order by an authorization. */
export interface ChargeOffer {
  readonly order: Order;
  readonly payment: OrderPayment;
  /** The remaining amount, in units of the token. */
  readonly units: bigint;
  readonly terms: AuthorizationTerms;
  /** The longest validity of an authorization, in whole seconds. */
  readonly secondsLeft: number;
}

/** The progress of a charge. */
export interface ChargeOutcome {
  readonly status: TransferStatus;
  /** The transaction; `null` before it is signed. */
  readonly txHash: string | null;
  /** True once it is in a block with its effect. */
  readonly mined: boolean;
  /** Why it failed, or what it waits for; `null` otherwise. */
  readonly reason: string | null;
}

/** An authorization as a payer sent it, with the chain, the token and the receiver for which it was signed. */
export interface SentAuthorization {
  /** A CAIP-2 id. */
  readonly network: string;
  /** The token's contract, in lower case. */
  readonly asset: string;
  /** In lower case. */
  readonly to: string;
  readonly authorization: Omit<Authorization, 'currency'>;
}

/** Further writes in the transaction that stores an authorization. */
export type WithCharge = (tx: Transaction) => Promise<void>;

export interface RequestChargeDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly rateBook: Pick<RateBook, 'convert'>;
  readonly orderQueries: Pick<OrderQueries, 'checkout'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
}

/** What is needed to price and sign a charge for an offer. */
interface Place {
  readonly chain: ChainAdapter;
  readonly payments: ChainPayments;
  readonly authorizations: TokenAuthorizations;
}

/**
 * The shortest remaining validity of an accepted authorization, in seconds: one that is mined too late costs the
 * merchant gas and its payer nothing. In this time the slower chains have two blocks.
 */
const LEAST_SECONDS_LEFT = 30n;
/** The most failed authorizations of an order, because each costs the merchant gas and its payer nothing. */
const MOST_FAILED = 3;
/** The most by which a payer's clock may be ahead, in seconds. */
const SKEW_SECONDS = 30n;

/** Accepts payers' authorizations for orders (EIP-3009), which the till sends as payouts. */
export class RequestCharge {
  readonly #deps: RequestChargeDeps;

  constructor(deps: RequestChargeDeps) {
    this.#deps = deps;
  }

  /**
   * The present offer to pay an order by an authorization.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when the order is no longer open or has no coin; `UNSUPPORTED`
   *   when its coin supports no authorizations; `NODE_FAILED`
   */
  async offer(token: string): Promise<ChargeOffer> {
    const view = await this.#deps.orderQueries.checkout(token);
    const { order } = view;
    const payment = this.#openPayment(order);
    const { authorizations } = this.#place(payment);
    const terms = await authorizations.terms(payment.currency);
    if (terms === null) throw unsupported(payment);
    const secondsLeft = Math.floor((order.expiresAt - this.#deps.clock.now()) / 1000);
    return { order, payment, units: this.#due(view, payment), terms, secondsLeft };
  }

  /**
   * Stores the transfer of a payer's authorization, as {@link RequestCharge.request}, unless it was received before.
   *
   * @param also - writes in the same transaction; not called when the authorization was received before
   * @throws TillgateError as {@link RequestCharge.request}
   */
  async take(token: string, sent: SentAuthorization, also?: WithCharge): Promise<void> {
    const { authorization } = sent;
    if ((await this.find(token, authorization)) !== null) return;
    try {
      const offer = await this.offer(token);
      requireSame(offer, sent);
      const { address, currency } = offer.payment;
      const to = sent.to === address.toLowerCase() ? address : sent.to;
      await this.request(token, to, { ...authorization, currency }, also);
    } catch (error) {
      // Another instance received the same one, and it has paid the order meanwhile.
      if ((await this.find(token, authorization)) === null) throw error;
    }
  }

  /**
   * Stores the transfer that sends an authorization as a payout. Repeating it changes nothing.
   *
   * @param also - writes in the same transaction; not called when the authorization was received before
   * @throws TillgateError as {@link RequestCharge.offer}; `INVALID_FIELDS` for an authorization that does not pay this
   *   order, or is not signed by its payer; `STATE_CONFLICT` when the network would revert it, when the network's fee
   *   is too large a share of it, or while another one is in progress; `NOT_READY` without a rate
   */
  async request(
    token: string,
    to: string,
    authorization: Authorization,
    also: WithCharge = NOTHING_MORE,
  ): Promise<ChargeOutcome> {
    const former = await this.find(token, authorization);
    if (former !== null) return former;
    const offer = await this.offer(token);
    this.#check(offer, to, authorization);
    const place = this.#place(offer.payment);
    if (!(await place.authorizations.isSigned(authorization, to)))
      throw refusal('signature', 'it was not made by the payer for this payment');
    const charge = await this.#priced(place, offer, authorization);
    if (!(await this.#deps.storage.transaction((tx) => this.#store(tx, charge, also)))) {
      const stored = await this.find(token, authorization);
      if (stored !== null) return stored;
      throw new TillgateError('STATE_CONFLICT', 'Another authorization for this order is in progress.');
    }
    const { events, metrics } = this.#deps;
    metrics.count('tillgate_transfers_total', { chain: charge.chain, kind: 'charge', status: 'REQUESTED' });
    events.emit('transfer.queued', { chain: charge.chain });
    return { status: 'REQUESTED', txHash: null, mined: false, reason: null };
  }

  /**
   * The progress of an authorization; `null` when it was never received.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when it was sent for another order, or with other terms
   */
  async find(token: string, authorization: Omit<Authorization, 'currency'>): Promise<ChargeOutcome | null> {
    const { storage } = this.#deps;
    const order = await storage.orders.findByCheckoutToken(token);
    if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
    if (order.payment === null) return null;
    const { chain, currency } = order.payment;
    const charge = await storage.transfers.chargeOf(chain, authorizationKey({ ...authorization, currency }));
    if (charge === null) return null;
    if (!isCharge(charge) || charge.orderId !== order.id || charge.authorization.signature !== authorization.signature)
      throw new TillgateError('STATE_CONFLICT', 'This authorization was used for another payment.');
    const txHash = txHashOf(await storage.transfers.payoutOf(charge.id));
    const arrived = liveDeposits(order, await storage.deposits.byOrder(order.id)).some(({ txid }) => txid === txHash);
    const { status, reason } = charge;
    return { status, txHash, mined: status === 'CONFIRMED' || arrived, reason };
  }

  #openPayment({ status, payment, expiresAt }: Order): OrderPayment {
    if (status !== 'PENDING' || expiresAt <= this.#deps.clock.now())
      throw new TillgateError('STATE_CONFLICT', 'The order is no longer open.');
    if (payment === null) throw new TillgateError('STATE_CONFLICT', 'The coin of the order is not chosen yet.');
    return payment;
  }

  #place(payment: OrderPayment): Place {
    const chain = this.#deps.chains.get(payment.chain);
    const payments = chain?.payments ?? null;
    if (chain === undefined || payments?.authorizations === undefined) throw unsupported(payment);
    return { chain, payments, authorizations: payments.authorizations };
  }

  #due({ remaining }: CheckoutView, { currency }: OrderPayment): bigint {
    const asset = present(this.#deps.assets.find(currency), currency);
    const units = present(parseUnits(remaining, asset.decimals), 'what is still to pay');
    if (units === 0n) throw new TillgateError('STATE_CONFLICT', 'The order is paid; nothing is left to pay.');
    return units;
  }

  #check({ order, payment, units }: ChargeOffer, to: string, given: Authorization): void {
    if (to !== payment.address) throw refusal('to', `it is not the order's address ${payment.address}`);
    if (given.currency !== payment.currency) throw refusal('asset', `the order is paid in ${payment.currency}`);
    if (given.units !== units) throw refusal('value', `${units} units are to pay`);
    const now = BigInt(Math.floor(this.#deps.clock.now() / 1000));
    if (given.validAfter >= now) throw refusal('validAfter', 'it is not valid yet');
    if (secondsLeft(given, this.#deps.clock.now()) < LEAST_SECONDS_LEFT)
      throw refusal('validBefore', 'it expires too soon, or has expired');
    if (given.validBefore > BigInt(Math.floor(order.expiresAt / 1000)) + SKEW_SECONDS)
      throw refusal('validBefore', 'it is valid for longer than the order waits');
  }

  /** Simulates it on the node: one that would be reverted, or costs too much, is refused with nothing stored. */
  async #priced(
    { chain, payments }: Place,
    { order, payment }: ChargeOffer,
    authorization: Authorization,
  ): Promise<Charge> {
    const { assets, rateBook, ids, clock } = this.#deps;
    const asset = present(assets.find(payment.currency), payment.currency);
    const { currency } = payments.feeAsset;
    const maxFeeUnits = await rateBook.convert(mostChargeFee(authorization), asset, payments.feeAsset);
    const source = { address: payments.hotAddress, index: null };
    const line = { to: payment.address, currency, units: 0n, charge: authorization };
    const { feeUnits } = await payments.price({ source, lines: [line], coins: [], replaces: null });
    if (maxFeeUnits === 0n || feeUnits > maxFeeUnits)
      throw new TillgateError(
        'STATE_CONFLICT',
        "The network's fee is too large a share of the amount now; pay with an ordinary transaction instead.",
      );
    const request = {
      ...{ id: ids.next() as TransferId, kind: 'charge' as const, accountId: null, orderId: order.id },
      ...{ chain: chain.code, currency, units: 0n, feeUnits: 0n, maxFeeUnits },
      ...{ sourceAddress: source.address, sourceIndex: null, toAddress: payment.address, authorization },
    };
    return newTransfer(request, clock.now());
  }

  /** @returns false when the authorization was received before, or another one for the order is in progress */
  async #store(tx: Transaction, charge: Charge, also: WithCharge): Promise<boolean> {
    const order = present(await tx.orders.lock(present(charge.orderId, 'an order')), 'the order');
    const payment = this.#openPayment(order);
    if (payment.address !== charge.toAddress || payment.currency !== charge.authorization.currency)
      throw new TillgateError('STATE_CONFLICT', 'Another coin was chosen for the order meanwhile.');
    if ((await tx.transfers.failedCharges(order.id)) >= MOST_FAILED)
      throw new TillgateError(
        'STATE_CONFLICT',
        'Too many authorizations for this order failed; pay with an ordinary transaction instead.',
      );
    if (!(await tx.transfers.add(charge))) return false;
    await also(tx);
    return true;
  }
}

const NOTHING_MORE: WithCharge = () => Promise.resolve();

/** Checks the chain and the token for which the payer signed; the authorization itself does not contain them. */
function requireSame({ terms }: ChargeOffer, { network, asset }: SentAuthorization): void {
  const same = terms.network === network && terms.asset.toLowerCase() === asset;
  if (!same) throw new TillgateError('INVALID_FIELDS', `The order is paid with ${terms.asset} on ${terms.network}.`);
}

function txHashOf(view: PayoutView | null): string | null {
  return view?.payout.minedTxid ?? view?.attempts.at(-1)?.txid ?? null;
}

function unsupported({ currency }: OrderPayment): TillgateError {
  return new TillgateError(
    'UNSUPPORTED',
    `The order cannot be paid by an authorization: ${currency} does not support them.`,
  );
}

function refusal(field: string, why: string): TillgateError {
  return new TillgateError('INVALID_FIELDS', `The authorization is refused: ${field}: ${why}.`, { reason: field });
}
