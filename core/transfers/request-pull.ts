import type { AssetCatalogue } from '../kernel/asset.ts';
import { parseUnits } from '../kernel/decimal.ts';
import { TillgateError } from '../kernel/errors.ts';
import { present } from '../kernel/guard.ts';
import type { TransferId } from '../kernel/ids.ts';
import { liveDeposits } from '../orders/settle-order.ts';
import type { CheckoutView } from '../orders/checkout-view.ts';
import type { OrderQueries } from '../orders/order-queries.ts';
import type { Order, OrderPayment } from '../orders/order.ts';
import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { ChainPayments } from '../ports/chain-payments.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { AuthorizationTerms, TokenAuthorizations } from '../ports/token-authorizations.ts';
import type { RateBook } from '../rates/rate-book.ts';
import { authorizationKey, secondsLeft } from './authorization.ts';
import type { Authorization } from './authorization.ts';
import { mostPullFee } from './charge-pull.ts';
import { isPull, newTransfer } from './transfer.ts';
import type { PayoutView, Pull, TransferStatus } from './transfer.ts';

/** How an order can be paid by an authorization. */
export interface PullOffer {
  readonly order: Order;
  readonly payment: OrderPayment;
  /** What is still to pay, in units of the token. */
  readonly units: bigint;
  readonly terms: AuthorizationTerms;
  /** How long an authorization may be valid at most, in whole seconds. */
  readonly secondsLeft: number;
}

/** How far a pull has come. */
export interface PullOutcome {
  readonly status: TransferStatus;
  /** The transaction; `null` before it is signed. */
  readonly txHash: string | null;
  /** True once it is in a block with its effect. */
  readonly mined: boolean;
  /** Why it has failed, or what it waits for; `null` otherwise. */
  readonly reason: string | null;
}

/** An authorization as a payer has sent it, with the chain, the token and the receiver that it was signed for. */
export interface SentAuthorization {
  /** CAIP-2. */
  readonly network: string;
  /** The token's contract, in lower case. */
  readonly asset: string;
  /** In lower case. */
  readonly to: string;
  readonly authorization: Omit<Authorization, 'currency'>;
}

/** What is written in the transaction that stores an authorization. */
export type WithPull = (tx: Transaction) => Promise<void>;

export interface RequestPullDeps {
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

/** What is needed to price and sign for an offer. */
interface Place {
  readonly chain: ChainAdapter;
  readonly payments: ChainPayments;
  readonly authorizations: TokenAuthorizations;
}

/**
 * An authorization is taken when it is valid for at least so long: one that is mined too late costs the merchant gas and its
 * payer nothing. In that time the slower chains have two blocks.
 */
const LEAST_SECONDS_LEFT = 30n;
/** How many signed authorizations of an order may come to nothing: each costs the merchant gas, and its payer next to none. */
const MOST_FAILED = 3;
/** By how much a payer's clock may be ahead. */
const SKEW_SECONDS = 30n;

/** Orders that are paid by a payer's authorization (EIP-3009), which the till sends by its own payout pipeline. */
export class RequestPull {
  readonly #deps: RequestPullDeps;

  constructor(deps: RequestPullDeps) {
    this.#deps = deps;
  }

  /**
   * How an order can be paid by an authorization now.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when it is not open any more or no coin is chosen; `UNSUPPORTED` when
   * its coin takes no authorizations; `NODE_FAILED`
   */
  async offer(token: string): Promise<PullOffer> {
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
   * Stores the transfer of what a payer has sent, as {@link RequestPull.request}, unless it came before.
   *
   * @param also - is written in the same transaction; not when it came before
   * @throws TillgateError as {@link RequestPull.request}
   */
  async take(token: string, sent: SentAuthorization, also?: WithPull): Promise<void> {
    const { authorization } = sent;
    if ((await this.find(token, authorization)) !== null) return;
    try {
      const offer = await this.offer(token);
      requireSame(offer, sent);
      const { address, currency } = offer.payment;
      const to = sent.to === address.toLowerCase() ? address : sent.to;
      await this.request(token, to, { ...authorization, currency }, also);
    } catch (error) {
      // The same one came to another instance, and has paid the order meanwhile.
      if ((await this.find(token, authorization)) === null) throw error;
    }
  }

  /**
   * Stores the transfer that sends an authorization; it is sent by the payout pipeline. The same one again changes nothing.
   *
   * @param also - is written in the same transaction; not when it came before
   * @throws TillgateError as {@link RequestPull.offer}; `INVALID_FIELDS` for an authorization that does not pay this order, or
   * is not signed by its payer; `STATE_CONFLICT` when the network would revert it, when the network's fee is too large a share of it, or
   * while another one is under way; `NOT_READY` without a rate
   */
  async request(
    token: string,
    to: string,
    authorization: Authorization,
    also: WithPull = NOTHING_MORE,
  ): Promise<PullOutcome> {
    const former = await this.find(token, authorization);
    if (former !== null) return former;
    const offer = await this.offer(token);
    this.#check(offer, to, authorization);
    const place = this.#place(offer.payment);
    if (!(await place.authorizations.isSigned(authorization, to)))
      throw refusal('signature', 'it is not that of the payer for this payment');
    const pull = await this.#priced(place, offer, authorization);
    if (!(await this.#deps.storage.transaction((tx) => this.#store(tx, pull, also)))) {
      const stored = await this.find(token, authorization);
      if (stored !== null) return stored;
      throw new TillgateError('STATE_CONFLICT', 'Another authorization for this order is under way.');
    }
    const { events, metrics } = this.#deps;
    metrics.count('tillgate_transfers_total', { chain: pull.chain, kind: 'pull', status: 'REQUESTED' });
    events.emit('transfer.queued', { chain: pull.chain });
    return { status: 'REQUESTED', txHash: null, mined: false, reason: null };
  }

  /**
   * What became of an authorization; `null` when it never came.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when it was sent for another order, or with other terms
   */
  async find(token: string, authorization: Omit<Authorization, 'currency'>): Promise<PullOutcome | null> {
    const { storage } = this.#deps;
    const order = await storage.orders.findByCheckoutToken(token);
    if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
    if (order.payment === null) return null;
    const { chain, currency } = order.payment;
    const pull = await storage.transfers.pullOf(chain, authorizationKey({ ...authorization, currency }));
    if (pull === null) return null;
    if (!isPull(pull) || pull.orderId !== order.id || pull.authorization.signature !== authorization.signature)
      throw new TillgateError('STATE_CONFLICT', 'This authorization was used for another payment.');
    const txHash = txHashOf(await storage.transfers.payoutOf(pull.id));
    const arrived = liveDeposits(order, await storage.deposits.byOrder(order.id)).some(({ txid }) => txid === txHash);
    const { status, reason } = pull;
    return { status, txHash, mined: status === 'CONFIRMED' || arrived, reason };
  }

  #openPayment({ status, payment, expiresAt }: Order): OrderPayment {
    if (status !== 'PENDING' || expiresAt <= this.#deps.clock.now())
      throw new TillgateError('STATE_CONFLICT', 'The order is not open any more.');
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

  #check({ order, payment, units }: PullOffer, to: string, given: Authorization): void {
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

  /** Tries it out on the node, so that what would be reverted, or is too dear, is refused with nothing stored. */
  async #priced(
    { chain, payments }: Place,
    { order, payment }: PullOffer,
    authorization: Authorization,
  ): Promise<Pull> {
    const { assets, rateBook, ids, clock } = this.#deps;
    const asset = present(assets.find(payment.currency), payment.currency);
    const { currency } = payments.feeAsset;
    const maxFeeUnits = await rateBook.convert(mostPullFee(authorization), asset, payments.feeAsset);
    const source = { address: payments.hotAddress, index: null };
    const line = { to: payment.address, currency, units: 0n, pull: authorization };
    const { feeUnits } = await payments.price({ source, lines: [line], coins: [], replaces: null });
    if (maxFeeUnits === 0n || feeUnits > maxFeeUnits)
      throw new TillgateError(
        'STATE_CONFLICT',
        "The network's fee is too large a share of the amount now; pay it yourself.",
      );
    const request = {
      ...{ id: ids.next() as TransferId, kind: 'pull' as const, accountId: null, orderId: order.id },
      ...{ chain: chain.code, currency, units: 0n, feeUnits: 0n, maxFeeUnits },
      ...{ sourceAddress: source.address, sourceIndex: null, toAddress: payment.address, authorization },
    };
    return newTransfer(request, clock.now());
  }

  /** @returns false when the authorization came before, or another one for the order is under way */
  async #store(tx: Transaction, pull: Pull, also: WithPull): Promise<boolean> {
    const order = present(await tx.orders.lock(present(pull.orderId, 'an order')), 'the order');
    const payment = this.#openPayment(order);
    if (payment.address !== pull.toAddress || payment.currency !== pull.authorization.currency)
      throw new TillgateError('STATE_CONFLICT', 'Another coin was chosen for the order meanwhile.');
    if ((await tx.transfers.failedPulls(order.id)) >= MOST_FAILED)
      throw new TillgateError(
        'STATE_CONFLICT',
        'Too many authorizations for this order came to nothing; pay it yourself.',
      );
    if (!(await tx.transfers.add(pull))) return false;
    await also(tx);
    return true;
  }
}

const NOTHING_MORE: WithPull = () => Promise.resolve();

/** The chain and the token that the payer has signed for, which the authorization itself does not name. */
function requireSame({ terms }: PullOffer, { network, asset }: SentAuthorization): void {
  const same = terms.network === network && terms.asset.toLowerCase() === asset;
  if (!same) throw new TillgateError('INVALID_FIELDS', `The order is paid with ${terms.asset} on ${terms.network}.`);
}

function txHashOf(view: PayoutView | null): string | null {
  return view?.payout.minedTxid ?? view?.attempts.at(-1)?.txid ?? null;
}

function unsupported({ currency }: OrderPayment): TillgateError {
  return new TillgateError('UNSUPPORTED', `The order cannot be paid by an authorization: ${currency} takes none.`);
}

function refusal(field: string, why: string): TillgateError {
  return new TillgateError('INVALID_FIELDS', `The authorization is refused: ${field}: ${why}.`, { reason: field });
}
