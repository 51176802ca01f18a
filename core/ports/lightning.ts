import type { Millis } from '../kernel/time.ts';
import { token } from './token.ts';

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

/** `accepted`: the payer's money is locked and may still return. Only `settled` is paid. */
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

/** A settlement, and the cursor from which to continue. */
export interface Settlement extends SettledInvoice {
  /** Opaque; the node's own count or time. */
  readonly cursor: string;
}

/** The content of a BOLT11 payment request. */
export interface DecodedInvoice {
  readonly paymentHash: string;
  /** The payment secret, which some wallets call the payment address: hexadecimal digits; empty when there is none. */
  readonly paymentAddr: string;
  /** `null` when the payer chooses the amount. */
  readonly msat: bigint | null;
  readonly expiresAt: Millis;
  /** The key of the node that is paid. */
  readonly payee: string;
  readonly description: string;
}

/** A payment to make, identified by its payment hash: repeated requests pay once. */
export interface LightningPaymentRequest {
  readonly paymentHash: string;
  readonly paymentRequest: string;
  /** Only for an invoice without an amount; `null` otherwise. */
  readonly msat: bigint | null;
  /** The most that routing may cost. */
  readonly maxFeeMsat: bigint;
}

/**
 * The state of a payment. `failed` is final: no part of it is in flight any more, and none will be. Everything that is not
 * certainly settled or failed is `in-flight`.
 */
export type LightningPaymentView =
  | { readonly state: 'in-flight' }
  | { readonly state: 'settled'; readonly feeMsat: bigint }
  | { readonly state: 'failed'; readonly reason: string };

/**
 * The balances of the channels that are open. Channels that open or close and the node's wallet on the chain are no part of
 * them: nothing can be paid over Lightning with what they hold.
 */
export interface LightningBalance {
  /** The node's side, the reserve of each channel included, without what payments under way may still take. */
  readonly localMsat: bigint;
  readonly remoteMsat: bigint;
  /** By how much `localMsat` may rise at most without a new payment: what payments under way hold, and what rounding leaves out. */
  readonly unsettledMsat: bigint;
}

/** Access to a Lightning node. Every method may fail with any error; it is retried from what is stored. */
export interface LightningNode {
  /**
   * Asks the node for its identity.
   * @returns `lightning:<network>/<public key>`, stored at the first start and compared at each later one
   * @throws TillgateError `CHAIN_HALTED` when it is not on the configured network; `NODE_FAILED`
   */
  identify(): Promise<string>;
  /** @throws TillgateError `NODE_FAILED` */
  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice>;
  /** An invoice of this node; `null` when it has none with that hash. @throws TillgateError `NODE_FAILED` */
  invoice(paymentHash: string): Promise<InvoiceView | null>;
  /**
   * Settlements after a cursor (`null`: from the beginning), oldest first, at most `limit`. Empty when there is none yet; none
   * is ever skipped between two cursors.
   * @throws TillgateError `NODE_FAILED`
   */
  settledAfter(cursor: string | null, limit: number): Promise<readonly Settlement[]>;
  /**
   * Whether anything was settled after a cursor (`null`: at all), by the node itself: {@link settledAfter} may be behind it where
   * settlements come by a stream.
   * @throws TillgateError `NODE_FAILED`; also when the node does not answer for certain
   */
  hasSettledAfter(cursor: string | null): Promise<boolean>;
  /**
   * Reads a payment request, expired or not; its network and its signature are checked.
   * @throws TillgateError `INVOICE_INVALID` when it cannot be read, is of another network, has an invalid signature, or has an
   * amount that is no whole number of millisatoshi; `NODE_FAILED`
   */
  decode(paymentRequest: string): Promise<DecodedInvoice>;
  /**
   * Pays, and returns as soon as the node has accepted the payment. For a payment that it already has, returns the same as
   * {@link payment}.
   * @throws TillgateError `NODE_FAILED` in every unclear case, a lost reply among them: ask for the payment
   */
  pay(request: LightningPaymentRequest): Promise<LightningPaymentView>;
  /** A payment of this node; `null` when it never had it. @throws TillgateError `NODE_FAILED` */
  payment(paymentHash: string): Promise<LightningPaymentView | null>;
  balance(): Promise<LightningBalance>;
  /** Calls `listener` when something may have changed; a hint only. @returns a function that unsubscribes */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

export const LIGHTNING = token<LightningNode | null>('Lightning');
