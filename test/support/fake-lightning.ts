import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { TillgateError } from '../../core/index.ts';
import type {
  CreatedInvoice,
  DecodedInvoice,
  InvoiceRequest,
  InvoiceView,
  LightningBalance,
  LightningNode,
  LightningPayOutcome,
  LightningPaymentRequest,
  LightningPaymentView,
  Millis,
  SettledInvoice,
  Settlement,
} from '../../core/index.ts';

interface Invoice extends InvoiceRequest {
  readonly paymentHash: string;
  readonly expiresAt: Millis;
  state: InvoiceView['state'];
  settled: SettledInvoice | null;
}

/** The node's reaction to payments from now on; `in-flight` ones are ended by {@link FakeLightning.finish}. */
export type FakeRoute =
  | { readonly kind: 'settled'; readonly feeMsat: bigint }
  | { readonly kind: 'no-route' }
  | { readonly kind: 'in-flight' };

/** How a payment in flight ends. */
export type FakeEnd =
  { readonly state: 'settled'; readonly feeMsat: bigint } | Extract<LightningPaymentView, { readonly state: 'failed' }>;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * An in-memory Lightning node that implements the port. Its payment requests are not BOLT11 and only list their fields;
 * the adapters' tests use real ones.
 */
export class FakeLightning implements LightningNode {
  readonly #now: () => Millis;
  readonly #invoices = new Map<string, Invoice>();
  #settlements: Settlement[] = [];
  readonly #payments = new Map<string, LightningPaymentView>();
  readonly #amounts = new Map<string, bigint>();
  readonly #listeners = new Set<() => void>();
  #made = 0;
  /** The channel balance from settlements and payments that the node has forgotten. */
  #carriedMsat = 0n;
  /** Each payment that was sent, by payment hash. */
  readonly sent: { readonly paymentHash: string; readonly msat: bigint | null; readonly maxFeeMsat: bigint }[] = [];
  identity = 'lightning:regtest/02fake';
  route: FakeRoute = { kind: 'settled', feeMsat: 0n };
  /** Calls that fail, by the method's name; `after`: only after their effect. */
  readonly lost = new Map<keyof LightningNode, 'before' | 'after'>();
  /** Payments whose state it does not report and which it does not start, by payment hash. */
  readonly silentAbout = new Set<string>();
  /** Payments that it refuses before it registers them, by payment hash or `every`, each with the message. */
  readonly refusals = new Map<string, string>();
  /** The number of refused payments. */
  refused = 0;
  /** The operator's own channel balance, without payments to and from the node. */
  ownMsat = 0n;
  /** While true, the settlement stream reports nothing. */
  cut = false;

  constructor(now: () => Millis) {
    this.#now = now;
  }

  async identify(): Promise<string> {
    return this.identity;
  }

  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice> {
    return this.#answer('createInvoice', () => {
      const paymentHash = hashOf(`invoice ${(this.#made += 1)}`);
      this.#invoices.set(paymentHash, {
        ...request,
        paymentHash,
        expiresAt: this.#now() + request.expirySeconds * 1000,
        state: 'open',
        settled: null,
      });
      return {
        paymentHash,
        paymentRequest: requestOf({
          paymentHash,
          msat: request.msat,
          expiresAt: this.#now() + request.expirySeconds * 1000,
        }),
      };
    });
  }

  invoice(paymentHash: string): Promise<InvoiceView | null> {
    return this.#answer('invoice', () => {
      const found = this.#invoices.get(paymentHash);
      return found === undefined ? null : { state: found.state, settled: found.settled };
    });
  }

  settledAfter(cursor: string | null, limit: number): Promise<readonly Settlement[]> {
    return this.#answer('settledAfter', () =>
      this.cut ? [] : this.#settlements.slice(indexOf(cursor)).slice(0, limit),
    );
  }

  remembers(cursor: string): Promise<boolean> {
    return this.#answer('remembers', () => this.#settlements[indexOf(cursor) - 1]?.cursor === cursor);
  }

  async decode(paymentRequest: string): Promise<DecodedInvoice> {
    const match = /^lntest:([0-9a-f]{64}):(\d*):(\d+)$/.exec(paymentRequest);
    if (match === null) throw new TillgateError('INVOICE_INVALID', 'That is no invoice of this network.');
    const [, paymentHash = '', msat = '', expiresAt = ''] = match;
    return {
      paymentHash,
      paymentAddr: 'aa',
      msat: msat === '' ? null : BigInt(msat),
      expiresAt: Number(expiresAt),
      payee: '02',
      description: '',
    };
  }

  pay({ paymentHash, paymentRequest, msat, maxFeeMsat }: LightningPaymentRequest): Promise<LightningPayOutcome> {
    return this.#answer('pay', () => {
      const known = this.#payments.get(paymentHash);
      if (known !== undefined && known.state !== 'failed') return known;
      if (this.silentAbout.has(paymentHash)) throw this.#away('pay');
      const refusal = this.refusals.get(paymentHash) ?? this.refusals.get('every');
      if (refusal !== undefined) {
        this.refused += 1;
        return { state: 'refused', reason: refusal };
      }
      this.sent.push({ paymentHash, msat, maxFeeMsat });
      const amount = msat ?? BigInt(paymentRequest.split(':')[2] ?? '');
      const view = viewOf(this.route, amount, maxFeeMsat);
      this.#amounts.set(paymentHash, amount);
      this.#payments.set(paymentHash, view);
      return view;
    });
  }

  payment(paymentHash: string): Promise<LightningPaymentView | null> {
    return this.#answer('payment', () => {
      if (this.silentAbout.has(paymentHash)) throw this.#away('payment');
      return this.#payments.get(paymentHash) ?? null;
    });
  }

  hasSettledAfter(cursor: string | null): Promise<boolean> {
    return this.#answer('hasSettledAfter', () => this.#settlements.length > indexOf(cursor));
  }

  balance(): Promise<LightningBalance> {
    return this.#answer('balance', () => {
      let [localMsat, unsettledMsat] = [this.ownMsat + this.#carriedMsat, 0n];
      for (const { msat } of this.#settlements) localMsat += msat;
      for (const [hash, view] of this.#payments) {
        if (view.state === 'failed') continue;
        localMsat -= (this.#amounts.get(hash) ?? 0n) + (view.state === 'settled' ? view.feeMsat : 0n);
        if (view.state === 'in-flight') unsettledMsat += this.#amounts.get(hash) ?? 0n;
      }
      return { localMsat, remoteMsat: 0n, unsettledMsat };
    });
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }

  /** The payer pays an invoice, with the requested amount unless `msat` is given. */
  settle(paymentRequest: string, msat?: bigint): SettledInvoice {
    const invoice = this.#of(paymentRequest);
    const settled = { paymentHash: invoice.paymentHash, msat: msat ?? invoice.msat, settledAt: this.#now() };
    Object.assign(invoice, { state: 'settled', settled });
    this.#addSettlement(settled);
    for (const listener of this.#listeners) listener();
    return settled;
  }

  /** Settles an invoice of the same node that is not the till's. */
  settleForeign(): void {
    const paymentHash = hashOf(`foreign ${this.#settlements.length}`);
    this.#addSettlement({ paymentHash, msat: 1n, settledAt: this.#now() });
  }

  setState(paymentRequest: string, state: 'accepted' | 'cancelled' | 'open'): void {
    this.#of(paymentRequest).state = state;
  }

  /** Sets the outcome of a payment that was in flight. */
  finish(paymentHash: string, end: FakeEnd): LightningPaymentView {
    assert.equal(this.#payments.get(paymentHash)?.state, 'in-flight');
    const view = end.state === 'settled' ? { ...end, msat: this.#amounts.get(paymentHash) ?? null } : end;
    this.#payments.set(paymentHash, view);
    return view;
  }

  /** The node loses its database, but not its channels. */
  forget(paymentHash: string): void {
    const view = this.#payments.get(paymentHash);
    if (view?.state === 'settled') this.ownMsat -= (this.#amounts.get(paymentHash) ?? 0n) + view.feeMsat;
    this.#payments.delete(paymentHash);
  }

  /**
   * The node begins anew under the same key, without its invoices and payments. Its channels stay unchanged; payments
   * in flight leave the node and succeed.
   */
  beginAnew(): void {
    for (const { msat } of this.#settlements) this.#carriedMsat += msat;
    for (const [hash, view] of this.#payments)
      if (view.state !== 'failed')
        this.#carriedMsat -= (this.#amounts.get(hash) ?? 0n) + (view.state === 'settled' ? view.feeMsat : 0n);
    this.#settlements = [];
    this.#invoices.clear();
    this.#payments.clear();
  }

  /** Whether it still has an invoice. */
  hasInvoice(paymentHash: string): boolean {
    return this.#invoices.has(paymentHash);
  }

  #addSettlement(settled: SettledInvoice): void {
    this.#settlements.push({ ...settled, cursor: `${this.#settlements.length + 1} ${settled.paymentHash}` });
  }

  #of(paymentRequest: string): Invoice {
    const invoice = [...this.#invoices.values()].find(({ paymentHash }) => paymentRequest.includes(paymentHash));
    assert(invoice !== undefined, `no invoice of ${paymentRequest}`);
    return invoice;
  }

  async #answer<T>(method: keyof LightningNode, answer: () => T): Promise<T> {
    const lost = this.lost.get(method);
    if (lost === 'before') throw this.#away(method);
    const result = answer();
    if (lost === 'after') throw this.#away(method);
    return result;
  }

  #away(method: keyof LightningNode): TillgateError {
    return new TillgateError('NODE_FAILED', `The Lightning node did not answer to ${method}.`);
  }
}

/** The number of settlements up to a cursor. */
const indexOf = (cursor: string | null): number => Number(cursor?.split(' ')[0] ?? 0);

/** An invoice of another receiver; with `msat` null the payer chooses the amount. */
export function requestOf({
  paymentHash,
  msat,
  expiresAt,
}: {
  readonly paymentHash: string;
  readonly msat: bigint | null;
  readonly expiresAt: Millis;
}): string {
  return `lntest:${paymentHash}:${msat ?? ''}:${expiresAt}`;
}

function viewOf(route: FakeRoute, msat: bigint, maxFeeMsat: bigint): LightningPaymentView {
  if (route.kind === 'in-flight') return { state: 'in-flight' };
  if (route.kind === 'no-route') return { state: 'failed', reason: 'no route' };
  return route.feeMsat > maxFeeMsat
    ? { state: 'failed', reason: 'no route within the fee limit' }
    : { state: 'settled', msat, feeMsat: route.feeMsat };
}
