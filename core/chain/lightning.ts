import type { Millis } from '../kernel/index.ts';
import { token } from '../kernel/index.ts';

/** The terms of a new invoice. */
export interface InvoiceRequest {
  readonly msat: bigint;
  /** The text that the payer's wallet shows. */
  readonly memo: string;
  readonly expirySeconds: number;
}

/** An invoice of this till's node. */
export interface CreatedInvoice {
  /** 64 lower-case hexadecimal digits. */
  readonly paymentHash: string;
  /** BOLT11, lower case. */
  readonly paymentRequest: string;
}

/** `accepted`: the payer's money is locked and may still return. Only `settled` means paid. */
export type InvoiceState = 'open' | 'accepted' | 'settled' | 'cancelled';

/** A paid invoice. */
export interface SettledInvoice {
  readonly paymentHash: string;
  /** The received amount; it may differ from the requested one. */
  readonly msat: bigint;
  readonly settledAt: Millis;
}

/** The state of an invoice; with `settled` when it is paid. */
export interface InvoiceView {
  readonly state: InvoiceState;
  readonly settled: SettledInvoice | null;
}

/** A settlement, and the cursor from which to continue after it. */
export interface Settlement extends SettledInvoice {
  /** Opaque; the node's own index or time. */
  readonly cursor: string;
}

/** The content of a BOLT11 payment request. */
export interface DecodedInvoice {
  readonly paymentHash: string;
  /** The payment secret, which some wallets call the payment address, in hexadecimal; empty for none. */
  readonly paymentAddr: string;
  /** `null` when the payer chooses the amount. */
  readonly msat: bigint | null;
  readonly expiresAt: Millis;
  /** The public key of the receiving node. */
  readonly payee: string;
  readonly description: string;
}

/** A payment to make, identified by its payment hash: repeated requests pay once. */
export interface LightningPaymentRequest {
  readonly paymentHash: string;
  readonly paymentRequest: string;
  /** Only for an invoice without an amount; `null` otherwise. */
  readonly msat: bigint | null;
  readonly maxFeeMsat: bigint;
}

/**
 * The state of a payment. `failed` is final: no part of it is in flight any more, and none will be. Every state that is
 * not certainly settled or failed is `in-flight`. Of a settled one, `msat` is the amount that the receiver got, or
 * `null` where the node does not report it: a receiver may put one payment hash into several invoices.
 */
export type LightningPaymentView =
  | { readonly state: 'in-flight' }
  | { readonly state: 'settled'; readonly msat: bigint | null; readonly feeMsat: bigint }
  | { readonly state: 'failed'; readonly reason: string };

/**
 * The outcome of sending a payment to a node. `refused`: the node answered with an error and then reported that it has
 * no payment with this hash, so this request started nothing. It may accept the payment another time.
 */
export type LightningPayOutcome = LightningPaymentView | { readonly state: 'refused'; readonly reason: string };

/**
 * The balances of open channels. Channels that are opening or closing and the node's on-chain wallet are excluded,
 * because they cannot pay over Lightning.
 */
export interface LightningBalance {
  /** The node's side, including the reserve of each channel, without what payments in flight may still take. */
  readonly localMsat: bigint;
  readonly remoteMsat: bigint;
  /** The most by which `localMsat` may rise without a new payment: payments in flight, and rounding. */
  readonly unsettledMsat: bigint;
}

/** Access to a Lightning node. Every method may fail with any error; it is retried from the stored state. */
export interface LightningNode {
  /**
   * Reads the node's identity.
   * @returns `lightning:<network>/<public key>`, stored at the first start and compared at each later one
   * @throws TillgateError `CHAIN_HALTED` when it is not on the configured network; `NODE_FAILED`
   */
  identify(): Promise<string>;
  /** @throws TillgateError `NODE_FAILED` */
  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice>;
  /** An invoice of this node; `null` when it has none with this hash. @throws TillgateError `NODE_FAILED` */
  invoice(paymentHash: string): Promise<InvoiceView | null>;
  /**
   * Settlements after a cursor (`null`: from the beginning), oldest first, at most `limit`. Empty when there is none yet; none
   * is ever skipped between two cursors.
   * @throws TillgateError `NODE_FAILED`
   */
  settledAfter(cursor: string | null, limit: number): Promise<readonly Settlement[]>;
  /**
   * Asks the node whether any invoice was settled after a cursor (`null`: ever). {@link settledAfter} may be behind
   * where settlements arrive by a stream.
   * @throws TillgateError `NODE_FAILED`; also when the node's answer is uncertain
   */
  hasSettledAfter(cursor: string | null): Promise<boolean>;
  /**
   * Whether the node still has the settlement that a cursor names, at that place. False means that the node began
   * again, from its seed or from an older copy, and has lost the settlements and payments from before.
   * @throws TillgateError `NODE_FAILED`
   */
  remembers(cursor: string): Promise<boolean>;
  /**
   * Decodes a payment request, expired or not; its network and its signature are checked.
   * @throws TillgateError `INVOICE_INVALID` when it cannot be decoded, is of another network, has an invalid signature,
   *   has an amount that is no whole number of millisatoshi, or is one that the node never pays; `NODE_FAILED`
   */
  decode(paymentRequest: string): Promise<DecodedInvoice>;
  /**
   * Pays, and returns as soon as the node has accepted the payment. For a payment that it already has, returns the same
   * as {@link payment}.
   * @throws TillgateError `INVOICE_INVALID` before anything is sent to the node; `NODE_FAILED` in every unclear case,
   *   such as a lost reply: read the payment
   */
  pay(request: LightningPaymentRequest): Promise<LightningPayOutcome>;
  /** A payment of this node; `null` when it never had it. @throws TillgateError `NODE_FAILED` */
  payment(paymentHash: string): Promise<LightningPaymentView | null>;
  balance(): Promise<LightningBalance>;
  /** Calls `listener` when settlements or payments may have changed; a hint. Returns a function that unsubscribes. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

export const LIGHTNING = token<LightningNode | null>('Lightning');
