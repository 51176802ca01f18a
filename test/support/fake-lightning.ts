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

/** How the node answers payments from now on; `in-flight` ones are ended by {@link FakeLightning.finish}. */
export type FakeRoute =
  | { readonly kind: 'settled'; readonly feeMsat: bigint }
  | { readonly kind: 'no-route' }
  | { readonly kind: 'in-flight' };

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * A Lightning node in memory, as the port promises it. Its payment requests are not BOLT11: they only say what one says;
 * the adapters' tests use real ones.
 */
export class FakeLightning implements LightningNode {
  readonly #now: () => Millis;
  readonly #invoices = new Map<string, Invoice>();
  readonly #settlements: Settlement[] = [];
  readonly #payments = new Map<string, LightningPaymentView>();
  readonly #amounts = new Map<string, bigint>();
  readonly #listeners = new Set<() => void>();
  #made = 0;
  /** Every time that money was sent, by payment hash. */
  readonly sent: { readonly paymentHash: string; readonly msat: bigint | null; readonly maxFeeMsat: bigint }[] = [];
  identity = 'lightning:regtest/02fake';
  route: FakeRoute = { kind: 'settled', feeMsat: 0n };
  /** Thrown instead of an answer, by the method's name; `after`: its effect is there. */
  readonly lost = new Map<keyof LightningNode, 'before' | 'after'>();
  /** What the operator has in the channels, apart from what was paid to the node and by it. */
  ownMsat = 0n;
  /** What the settlement stream leaves out while it is cut. */
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
      this.cut ? [] : this.#settlements.slice(cursor === null ? 0 : Number(cursor)).slice(0, limit),
    );
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

  pay({ paymentHash, paymentRequest, msat, maxFeeMsat }: LightningPaymentRequest): Promise<LightningPaymentView> {
    return this.#answer('pay', () => {
      const known = this.#payments.get(paymentHash);
      if (known !== undefined && known.state !== 'failed') return known;
      this.sent.push({ paymentHash, msat, maxFeeMsat });
      this.#amounts.set(paymentHash, msat ?? BigInt(paymentRequest.split(':')[2] ?? ''));
      this.#payments.set(paymentHash, viewOf(this.route, maxFeeMsat));
      return viewOf(this.route, maxFeeMsat);
    });
  }

  payment(paymentHash: string): Promise<LightningPaymentView | null> {
    return this.#answer('payment', () => this.#payments.get(paymentHash) ?? null);
  }

  hasSettledAfter(cursor: string | null): Promise<boolean> {
    return this.#answer('hasSettledAfter', () => this.#settlements.length > Number(cursor ?? 0));
  }

  balance(): Promise<LightningBalance> {
    return this.#answer('balance', () => {
      let [localMsat, unsettledMsat] = [this.ownMsat, 0n];
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

  /** The payer pays an invoice; `msat` unless the amount is as asked. */
  settle(paymentRequest: string, msat?: bigint): SettledInvoice {
    const invoice = this.#of(paymentRequest);
    const settled = { paymentHash: invoice.paymentHash, msat: msat ?? invoice.msat, settledAt: this.#now() };
    Object.assign(invoice, { state: 'settled', settled });
    this.#settlements.push({ ...settled, cursor: String(this.#settlements.length + 1) });
    for (const listener of this.#listeners) listener();
    return settled;
  }

  /** Somebody else's invoice of the same node is settled. */
  settleForeign(): void {
    const paymentHash = hashOf(`foreign ${this.#settlements.length}`);
    this.#settlements.push({
      paymentHash,
      msat: 1n,
      settledAt: this.#now(),
      cursor: String(this.#settlements.length + 1),
    });
  }

  setState(paymentRequest: string, state: 'accepted' | 'cancelled' | 'open'): void {
    this.#of(paymentRequest).state = state;
  }

  /** What became of a payment that was in flight. */
  finish(paymentHash: string, view: LightningPaymentView): void {
    assert.equal(this.#payments.get(paymentHash)?.state, 'in-flight');
    this.#payments.set(paymentHash, view);
  }

  /** The node lost its database, not its channels. */
  forget(paymentHash: string): void {
    const view = this.#payments.get(paymentHash);
    if (view?.state === 'settled') this.ownMsat -= (this.#amounts.get(paymentHash) ?? 0n) + view.feeMsat;
    this.#payments.delete(paymentHash);
  }

  #of(paymentRequest: string): Invoice {
    const invoice = [...this.#invoices.values()].find(({ paymentHash }) => paymentRequest.includes(paymentHash));
    assert(invoice !== undefined, `no invoice of ${paymentRequest}`);
    return invoice;
  }

  async #answer<T>(method: keyof LightningNode, answer: () => T): Promise<T> {
    const lost = this.lost.get(method);
    const away = new TillgateError('NODE_FAILED', `The Lightning node did not answer to ${method}.`);
    if (lost === 'before') throw away;
    const result = answer();
    if (lost === 'after') throw away;
    return result;
  }
}

/** An invoice of a receiver elsewhere; `msat` of `null` leaves the amount to the payer. */
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

function viewOf(route: FakeRoute, maxFeeMsat: bigint): LightningPaymentView {
  if (route.kind === 'in-flight') return { state: 'in-flight' };
  if (route.kind === 'no-route') return { state: 'failed', reason: 'no route' };
  return route.feeMsat > maxFeeMsat
    ? { state: 'failed', reason: 'no route within the fee limit' }
    : { state: 'settled', feeMsat: route.feeMsat };
}
