import type { LightningPayOutcome, LightningPaymentRequest, LightningPaymentView } from '../../../core/index.ts';
import { FakeLightning } from '../../support/fake-lightning.ts';
import type { FakeEnd } from '../../support/fake-lightning.ts';

/** A Lightning node that records its incoming and outgoing payments for the rules. */
export class SimLightning extends FakeLightning {
  /** Paid invoices of this node, by payment hash, with amount and time. */
  readonly settled = new Map<string, { readonly msat: bigint; readonly at: number }>();
  /** The payments that it received orders for, by payment hash. */
  readonly views = new Map<string, LightningPaymentView>();

  /** The highest balance that the operator ever had in the channels. */
  endowed = 0n;

  /** The operator opens or closes a channel. */
  endow(msat: bigint): void {
    this.ownMsat += msat;
    if (this.ownMsat > this.endowed) this.endowed = this.ownMsat;
  }

  override async pay(request: LightningPaymentRequest): Promise<LightningPayOutcome> {
    const wasPaid = this.views.get(request.paymentHash)?.state === 'settled';
    const sent = this.sent.length;
    const outcome = await super.pay(request);
    if (wasPaid && this.sent.length > sent) this.paidAgain.add(request.paymentHash);
    if (outcome.state !== 'refused') this.views.set(request.paymentHash, outcome);
    return outcome;
  }

  /** Payments that it made a second time. */
  readonly paidAgain = new Set<string>();
  /** The number of times that it began anew. */
  anew = 0;
  /** Payment hashes of invoices that were paid before it began anew. */
  readonly forgotten = new Set<string>();

  /** Payments in flight succeed without the node's knowledge. */
  override beginAnew(): void {
    super.beginAnew();
    this.anew += 1;
    for (const hash of this.settled.keys()) this.forgotten.add(hash);
    for (const hash of this.underWay) this.views.set(hash, { state: 'settled', msat: null, feeMsat: 0n });
  }

  override finish(paymentHash: string, end: FakeEnd): LightningPaymentView {
    const view = super.finish(paymentHash, end);
    this.views.set(paymentHash, view);
    return view;
  }

  /** A payer pays an invoice of this node; false when it was paid before. */
  receive(paymentRequest: string, paymentHash: string, msat: bigint): boolean {
    if (this.settled.has(paymentHash) || !this.hasInvoice(paymentHash)) return false;
    const { settledAt } = this.settle(paymentRequest, msat);
    this.settled.set(paymentHash, { msat, at: settledAt });
    return true;
  }

  /** Payments whose outcome is not known yet. */
  get underWay(): readonly string[] {
    return [...this.views].filter(([, { state }]) => state === 'in-flight').map(([hash]) => hash);
  }
}
