import type { LightningNode } from '../../core/index.ts';

/** An invoice of a counterparty. */
export interface ForeignInvoice {
  readonly paymentHash: string;
  readonly paymentRequest: string;
}

/** A payment that its receiver holds until it is settled or cancelled. */
export interface HeldPayment extends ForeignInvoice {
  take(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * What a test can cause, besides invoices and payments. Whatever a node does not have or cannot do is listed in
 * {@link LightningHarness.lacks} with the reason.
 */
export interface LightningTricks {
  /** An adapter for the same node with another network in its settings. */
  otherNetwork(): Promise<LightningNode>;
  /** An invoice of the till's own node whose payment has arrived and is held. */
  heldHere(msat: bigint): Promise<HeldPayment>;
  /** An invoice of a counterparty that will hold the payment. */
  heldThere(msat: bigint): Promise<HeldPayment>;
  /** Cancels an open invoice of the till's node. */
  cancel(paymentHash: string): Promise<void>;
  /** An invoice that has expired, signed and on the right network. */
  expired(msat: bigint): Promise<ForeignInvoice>;
  /** An invoice of a node without a route to it. */
  unroutable(msat: bigint): Promise<ForeignInvoice>;
  /** An invoice on another network. */
  foreign(msat: bigint): Promise<ForeignInvoice>;
  /** Sets the cost of every route. */
  routeFee(msat: bigint): Promise<void>;
  /** Makes the node unreachable and ends every stream, or makes it reachable again. */
  outage(on: boolean): Promise<void>;
  /** For payments: loses the request before the node gets it, or its reply; `null` ends it. */
  losses(kind: 'request' | 'reply' | null): Promise<void>;
  /** Kills the node, and restarts it with its stored state. */
  restart(): Promise<void>;
}

/**
 * `hints`: it calls its watchers. `millisatoshi`: it requests and pays fractions of a satoshi. `feeLimit`: it accepts any limit.
 * `unsettled`: its balance says what payments under way hold.
 */
export type LightningAbility = keyof LightningTricks | 'hints' | 'millisatoshi' | 'feeLimit' | 'unsettled';

/** A Lightning node with a counterparty, and money on both sides. */
export interface LightningWorld {
  readonly node: LightningNode;
  /** Opens another adapter for the same node, as after a restart of the till. */
  readonly reopen: () => Promise<LightningNode>;
  /** The counterparty pays; it rejects when that fails. */
  pay(paymentRequest: string): Promise<void>;
  /** The counterparty creates an invoice; `null` leaves the amount to the payer. */
  readonly invoice: (msat: bigint | null) => Promise<ForeignInvoice>;
  /** What the counterparty has received for an invoice of its own, 0 for nothing, and how often. */
  received(paymentHash: string): Promise<{ readonly msat: bigint; readonly times: number }>;
  readonly tricks: Partial<LightningTricks>;
  close(): Promise<void>;
}

/** Opens a node for the kit, and lists what it does not support. */
export interface LightningHarness {
  readonly lacks: Readonly<Partial<Record<LightningAbility, string>>>;
  open(): Promise<LightningWorld>;
}

/** A test of one requirement, and the abilities that it needs. */
export interface LightningCase {
  readonly needs: readonly LightningAbility[];
  readonly title: string;
  readonly run: (world: LightningWorld) => Promise<void>;
}
