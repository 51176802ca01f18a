import type { LightningNode } from '../../core/index.ts';

/** An invoice of somebody else's. */
export interface ForeignInvoice {
  readonly paymentHash: string;
  readonly paymentRequest: string;
}

/** A payment that its receiver holds until it is told. */
export interface HeldPayment extends ForeignInvoice {
  take(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * What a test can make happen, besides invoices and payments. Whatever a node does not know, or cannot be brought to do, is
 * named in {@link LightningHarness.lacks} with the reason.
 */
export interface LightningTricks {
  /** An adapter over the same node with another network in its settings. */
  otherNetwork(): Promise<LightningNode>;
  /** An invoice at the till's own node whose payment has arrived and is held. */
  heldHere(msat: bigint): Promise<HeldPayment>;
  /** An invoice of a counterparty that will hold what is paid. */
  heldThere(msat: bigint): Promise<HeldPayment>;
  /** Cancels an open invoice of the till's node. */
  cancel(paymentHash: string): Promise<void>;
  /** An invoice that has expired, signed and on the right network. */
  expired(msat: bigint): Promise<ForeignInvoice>;
  /** An invoice of a node that there is no way to. */
  unroutable(msat: bigint): Promise<ForeignInvoice>;
  /** An invoice on another network. */
  foreign(msat: bigint): Promise<ForeignInvoice>;
  /** What every route costs from now on. */
  routeFee(msat: bigint): Promise<void>;
  /** The node answers nobody and breaks off every stream, or it answers again. */
  outage(on: boolean): Promise<void>;
  /** Payments only: the request is lost before the node has it, or the reply after; `null` ends it. */
  losses(kind: 'request' | 'reply' | null): Promise<void>;
  /** Stops the node as a failure would, and starts it with what it knew. */
  restart(): Promise<void>;
}

/** `hints`: it calls its watchers. `millisatoshi`: it asks for and pays fractions of a satoshi. `feeLimit`: it takes any limit. */
export type LightningAbility = keyof LightningTricks | 'hints' | 'millisatoshi' | 'feeLimit';

/** A Lightning node with a counterparty, and money on both sides. */
export interface LightningWorld {
  readonly node: LightningNode;
  /** Another adapter over the same node, as after a restart of the till. */
  readonly reopen: () => Promise<LightningNode>;
  /** The counterparty pays; it rejects when that fails. */
  pay(paymentRequest: string): Promise<void>;
  /** The counterparty makes an invoice; `null` leaves the amount to the payer. */
  readonly invoice: (msat: bigint | null) => Promise<ForeignInvoice>;
  /** What the counterparty has received for an invoice of its own, 0 for nothing, and how often. */
  received(paymentHash: string): Promise<{ readonly msat: bigint; readonly times: number }>;
  readonly tricks: Partial<LightningTricks>;
  close(): Promise<void>;
}

/** How the kit gets a node to test, and what it need not ask for. */
export interface LightningHarness {
  readonly lacks: Readonly<Partial<Record<LightningAbility, string>>>;
  open(): Promise<LightningWorld>;
}

/** One promise of the port, and the abilities that it takes to see whether it is kept. */
export interface LightningCase {
  readonly needs: readonly LightningAbility[];
  readonly title: string;
  readonly run: (world: LightningWorld) => Promise<void>;
}
