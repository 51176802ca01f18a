import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readPaymentRequest } from '../../../adapters/lightning/index.ts';
import { encodeBolt11, publicKeyOf } from './bolt11.ts';

/** An invoice in a fake node's database. */
export interface FakeInvoice {
  readonly addIndex: number;
  readonly paymentHash: string;
  readonly preimage: string;
  readonly paymentSecret: string;
  readonly paymentRequest: string;
  readonly msat: bigint | null;
  readonly memo: string;
  readonly createdAt: number;
  readonly expirySeconds: number;
  readonly hold: boolean;
  state: 'open' | 'accepted' | 'settled' | 'cancelled';
  receivedMsat: bigint;
  settleIndex: number;
  settledAt: number;
}

/** A payment in a fake node's database. */
export interface FakePayment {
  readonly paymentHash: string;
  readonly paymentRequest: string;
  readonly msat: bigint;
  readonly createdAt: number;
  state: 'in-flight' | 'settled' | 'failed';
  /** Whether a part of it ever left the node. */
  attempted: boolean;
  feeMsat: bigint;
  preimage: string;
  reason: 'no-route' | 'refused' | 'balance';
  endedAt: number;
  /** The number of offers to the receiver: more than one would pay twice. */
  deliveries: number;
}

/** The terms of a new invoice. */
export interface FakeInvoiceTerms {
  readonly msat: bigint | null;
  readonly memo?: string;
  readonly expirySeconds?: number;
  readonly hold?: boolean;
  /** The age of the invoice in milliseconds. */
  readonly ageMs?: number;
}

/** A payment that the node refuses before it registers it. */
export class FakeRefusal extends Error {}

const PREFIXES: Readonly<Record<string, string>> = { mainnet: 'bc', regtest: 'bcrt', testnet: 'tb' };
const STARTING_MSAT = 10_000_000_000n;

/** The nodes that can route to each other. */
export type FakeGraph = Map<string, FakeLightningNode>;

/**
 * A Lightning node without a network: real keys, real signed payment requests, hashes and preimages, and payments
 * between fakes. Its state survives everything that happens to the server in front of it.
 */
export class FakeLightningNode extends EventEmitter<{ invoice: [FakeInvoice]; payment: [FakePayment] }> {
  readonly network: string;
  readonly key = randomBytes(32);
  readonly publicKey = publicKeyOf(this.key);
  readonly invoices = new Map<string, FakeInvoice>();
  readonly payments = new Map<string, FakePayment>();
  readonly #graph: FakeGraph;
  #settlements = 0;
  localMsat = STARTING_MSAT;
  remoteMsat = STARTING_MSAT;
  /** The fee of every route. */
  routeFeeMsat = 0n;
  /** The message with which every payment is refused before it is registered; `null` for none. */
  refusesWith: string | null = null;
  /** Payments started while this is true stay in flight until {@link release}. */
  stuck = false;
  readonly #released: (() => void)[] = [];

  constructor(graph: FakeGraph, network = 'regtest') {
    super();
    this.setMaxListeners(0);
    this.network = network;
    this.#graph = graph;
    graph.set(this.publicKey, this);
  }

  addInvoice({ msat, memo = '', expirySeconds = 3_600, hold = false, ageMs = 0 }: FakeInvoiceTerms): FakeInvoice {
    const preimage = randomBytes(32);
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    const paymentSecret = randomBytes(32).toString('hex');
    const createdAt = Date.now() - ageMs;
    const terms = {
      prefix: PREFIXES[this.network] ?? 'bcrt',
      msat,
      timestamp: Math.floor(createdAt / 1000),
      paymentHash,
      paymentSecret,
      description: memo,
      expirySeconds,
      key: this.key,
    };
    const invoice: FakeInvoice = {
      addIndex: this.invoices.size + 1,
      paymentHash,
      preimage: preimage.toString('hex'),
      paymentSecret,
      paymentRequest: encodeBolt11(terms),
      msat,
      memo,
      createdAt,
      expirySeconds,
      hold,
      state: 'open',
      receivedMsat: 0n,
      settleIndex: 0,
      settledAt: 0,
    };
    this.invoices.set(paymentHash, invoice);
    this.emit('invoice', invoice);
    return invoice;
  }

  /** Settles a held payment. */
  take(paymentHash: string): void {
    const invoice = this.#invoice(paymentHash);
    if (invoice.state === 'accepted') this.#settle(invoice);
  }

  /** Cancels an open invoice, or returns a held payment. */
  cancel(paymentHash: string): void {
    const invoice = this.#invoice(paymentHash);
    if (invoice.state === 'settled') throw new Error('a settled invoice cannot be cancelled');
    invoice.state = 'cancelled';
    this.emit('invoice', invoice);
  }

  /**
   * Starts a payment, which proceeds by itself.
   * @throws Error with the refusal's message when nothing is started
   */
  pay(paymentRequest: string, chosenMsat: bigint | null, maxFeeMsat: bigint): FakePayment {
    const invoice = readPaymentRequest(paymentRequest, this.network);
    const msat = invoice.msat ?? chosenMsat;
    if (msat === null || (invoice.msat !== null && chosenMsat !== null))
      throw new Error(
        `amount must ${msat === null ? '' : 'not '}be specified when paying a ${msat === null ? '' : 'non-'}zero amount invoice`,
      );
    if (invoice.expiresAt < Date.now())
      throw new Error(`invoice expired. Valid until ${new Date(invoice.expiresAt).toISOString()}`);
    if (invoice.payee === this.publicKey) throw new Error('self-payments not allowed');
    if (this.refusesWith !== null) throw new FakeRefusal(this.refusesWith);
    const former = this.payments.get(invoice.paymentHash);
    if (former !== undefined && former.state !== 'failed')
      throw new Error(former.state === 'settled' ? 'invoice is already paid' : 'payment is in transition');
    const payment: FakePayment = {
      paymentHash: invoice.paymentHash,
      paymentRequest,
      msat,
      createdAt: Date.now(),
      state: 'in-flight',
      attempted: false,
      feeMsat: 0n,
      preimage: '',
      reason: 'no-route',
      endedAt: 0,
      deliveries: former?.deliveries ?? 0,
    };
    this.payments.set(payment.paymentHash, payment);
    const go = (): void => this.#route(payment, invoice.payee, maxFeeMsat);
    if (this.stuck) this.#released.push(go);
    else setImmediate(go);
    this.emit('payment', payment);
    return payment;
  }

  /** Releases stuck payments. */
  release(): void {
    this.stuck = false;
    for (const go of this.#released.splice(0)) go();
  }

  /** Loses the database but not the key. */
  beginAnew(): void {
    this.invoices.clear();
    this.payments.clear();
    this.#settlements = 0;
  }

  /** Settled invoices after an index, in its order. */
  settledAfter(index: number): readonly FakeInvoice[] {
    return [...this.invoices.values()]
      .filter(({ settleIndex }) => settleIndex > index)
      .sort((a, b) => a.settleIndex - b.settleIndex);
  }

  /** The amounts in outgoing payments that have not ended. */
  get offered(): readonly bigint[] {
    return [...this.payments.values()]
      .filter(({ state, attempted }) => state === 'in-flight' && attempted)
      .map(({ msat, feeMsat }) => msat + feeMsat);
  }

  /** The amounts in incoming payments that are not settled yet. */
  get held(): readonly bigint[] {
    return [...this.invoices.values()].filter(({ state }) => state === 'accepted').map((each) => each.receivedMsat);
  }

  #invoice(paymentHash: string): FakeInvoice {
    const invoice = this.invoices.get(paymentHash);
    if (invoice === undefined) throw new Error(`no invoice ${paymentHash}`);
    return invoice;
  }

  #route(payment: FakePayment, payee: string, maxFeeMsat: bigint): void {
    const receiver = this.#graph.get(payee);
    const poor = payment.msat + this.routeFeeMsat > this.localMsat;
    if (receiver === undefined || this.routeFeeMsat > maxFeeMsat || poor) {
      payment.reason = poor ? 'balance' : 'no-route';
      this.#end(payment, null);
      return;
    }
    payment.attempted = true;
    payment.deliveries += 1;
    payment.feeMsat = this.routeFeeMsat;
    payment.reason = 'refused';
    this.localMsat -= payment.msat + payment.feeMsat;
    receiver.#arrive(payment.paymentHash, payment.msat, (preimage) => this.#end(payment, preimage));
  }

  #arrive(paymentHash: string, msat: bigint, answer: (preimage: string | null) => void): void {
    const invoice = this.invoices.get(paymentHash);
    if (invoice?.state !== 'open' || msat < (invoice.msat ?? 0n)) {
      answer(null);
      return;
    }
    invoice.receivedMsat = msat;
    const whenDone = (changed: FakeInvoice): void => {
      if (changed !== invoice || (invoice.state !== 'settled' && invoice.state !== 'cancelled')) return;
      this.off('invoice', whenDone);
      answer(invoice.state === 'settled' ? invoice.preimage : null);
    };
    this.on('invoice', whenDone);
    if (invoice.hold) {
      invoice.state = 'accepted';
      this.emit('invoice', invoice);
    } else {
      this.#settle(invoice);
    }
  }

  #settle(invoice: FakeInvoice): void {
    invoice.state = 'settled';
    invoice.settleIndex = ++this.#settlements;
    invoice.settledAt = Date.now();
    this.localMsat += invoice.receivedMsat;
    this.remoteMsat -= invoice.receivedMsat;
    this.emit('invoice', invoice);
  }

  #end(payment: FakePayment, preimage: string | null): void {
    if (preimage === null && payment.attempted) this.localMsat += payment.msat + payment.feeMsat;
    if (preimage === null) payment.feeMsat = 0n;
    payment.preimage = preimage ?? '';
    payment.state = preimage === null ? 'failed' : 'settled';
    payment.endedAt = Date.now();
    this.emit('payment', payment);
  }
}
