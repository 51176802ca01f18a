import type { LightningPaymentRequest, LightningPaymentView } from '../../../core/index.ts';
import { FakeLightning } from '../../support/fake-lightning.ts';

/** A Lightning node with what it was paid and what it paid, for the rules to look at. */
export class SimLightning extends FakeLightning {
  /** Invoices of this node that were paid, by payment hash: how much, and when. */
  readonly settled = new Map<string, { readonly msat: bigint; readonly at: number }>();
  /** Payments that it was given, by payment hash. */
  readonly views = new Map<string, LightningPaymentView>();

  /** The most that the operator ever had in the channels. */
  endowed = 0n;

  /** The operator opens a channel, or closes one of his. */
  endow(msat: bigint): void {
    this.ownMsat += msat;
    if (this.ownMsat > this.endowed) this.endowed = this.ownMsat;
  }

  override async pay(request: LightningPaymentRequest): Promise<LightningPaymentView> {
    const view = await super.pay(request);
    this.views.set(request.paymentHash, view);
    return view;
  }

  override finish(paymentHash: string, view: LightningPaymentView): void {
    super.finish(paymentHash, view);
    this.views.set(paymentHash, view);
  }

  /** A payer pays an invoice of this node; false when it was paid before. */
  receive(paymentRequest: string, paymentHash: string, msat: bigint): boolean {
    if (this.settled.has(paymentHash)) return false;
    const { settledAt } = this.settle(paymentRequest, msat);
    this.settled.set(paymentHash, { msat, at: settledAt });
    return true;
  }

  /** Payments whose end is not known yet. */
  get underWay(): readonly string[] {
    return [...this.views].filter(([, { state }]) => state === 'in-flight').map(([hash]) => hash);
  }
}
