import type { LightningNode } from '../../core/index.ts';

/** An invoice of a counterparty. */
export interface ForeignInvoice {
  readonly paymentHash: string;
  readonly paymentRequest: string;
}

/** A payment that its recipient holds until it is settled or cancelled. */
export interface HeldPayment extends ForeignInvoice {
  take(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * Events that a test can cause, besides invoices and payments. {@link LightningHarness.lacks} lists, with the reason,
 * those that the node does not support.
 */
export interface LightningTricks {
  /** An adapter for the same node with another network in its settings. */
  otherNetwork(): Promise<LightningNode>;
  /** Creates an invoice of the till's node whose payment has arrived and is held. */
  heldHere(msat: bigint): Promise<HeldPayment>;
  /** Creates an invoice of a counterparty that will hold the payment. */
  heldThere(msat: bigint): Promise<HeldPayment>;
  /** Cancels an open invoice of the till's node. */
  cancel(paymentHash: string): Promise<void>;
  /** Creates an expired invoice, signed and on the right network. */
  expired(msat: bigint): Promise<ForeignInvoice>;
  /** Creates an invoice of a node to which there is no route. */
  unroutable(msat: bigint): Promise<ForeignInvoice>;
  /** Creates an invoice on another network. */
  foreign(msat: bigint): Promise<ForeignInvoice>;
  /** Sets the fee of every route. */
  routeFee(msat: bigint): Promise<void>;
  /** Makes the node unreachable and ends every stream, or makes it reachable again. */
  outage(on: boolean): Promise<void>;
  /** For payments: loses the request before it reaches the node, or the node's reply; `null` ends it. */
  losses(kind: 'request' | 'reply' | null): Promise<void>;
  /** Kills the node and restarts it with its stored state. */
  restart(): Promise<void>;
}

/**
 * `hints`: the node notifies watchers. `millisatoshi`: it requests and pays fractions of a satoshi. `feeLimit`: it
 * accepts any limit. `unsettled`: its balance includes what payments in progress hold.
 */
export type LightningAbility = keyof LightningTricks | 'hints' | 'millisatoshi' | 'feeLimit' | 'unsettled';

/** A Lightning node with a counterparty, and funds on both sides. */
export interface LightningWorld {
  readonly node: LightningNode;
  /** Opens another adapter for the same node, as after a restart of the till. */
  readonly reopen: () => Promise<LightningNode>;
  /** The counterparty pays; it rejects when the payment fails. */
  pay(paymentRequest: string): Promise<void>;
  /** The counterparty creates an invoice; `null` leaves the amount to the payer. */
  readonly invoice: (msat: bigint | null) => Promise<ForeignInvoice>;
  /** The amount that the counterparty has received for an invoice of its own, 0 for nothing, and how often. */
  received(paymentHash: string): Promise<{ readonly msat: bigint; readonly times: number }>;
  readonly tricks: Partial<LightningTricks>;
  close(): Promise<void>;
}

/** Opens a node for the kit, and lists what it does not support. */
export interface LightningHarness {
  readonly lacks: Readonly<Partial<Record<LightningAbility, string>>>;
  open(): Promise<LightningWorld>;
}

/** A test of one requirement, with the abilities it needs. */
export interface LightningCase {
  readonly needs: readonly LightningAbility[];
  readonly title: string;
  readonly run: (world: LightningWorld) => Promise<void>;
}
