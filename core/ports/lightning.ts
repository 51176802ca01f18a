import type { Millis } from '../kernel/time.ts';
import { token } from './token.ts';

/** An invoice to be made. */
export interface InvoiceRequest {
  readonly msat: bigint;
  /** What the payer's wallet shows. */
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

/** `accepted`: the payer's money is held and may still go back. Only `settled` is paid. */
export type InvoiceState = 'open' | 'accepted' | 'settled' | 'cancelled';

/** An invoice that was paid for good. */
export interface SettledInvoice {
  readonly paymentHash: string;
  /** What arrived; it may differ from what was asked. */
  readonly msat: bigint;
  readonly settledAt: Millis;
}

/** How an invoice stands; `settled` is there when it is paid. */
export interface InvoiceView {
  readonly state: InvoiceState;
  readonly settled: SettledInvoice | null;
}

/** A settlement with the place after which the next ones are asked for. */
export interface Settlement extends SettledInvoice {
  /** Opaque; the node's own count or time. */
  readonly cursor: string;
}

/** What a BOLT11 payment request says. */
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

/** A payment to be made. The payment hash is its identity: however often it is asked for, it is paid once. */
export interface LightningPaymentRequest {
  readonly paymentHash: string;
  readonly paymentRequest: string;
  /** Only for an invoice without an amount; `null` otherwise. */
  readonly msat: bigint | null;
  /** The most that routing may cost. */
  readonly maxFeeMsat: bigint;
}

/**
 * How a payment stands. `failed` is final: nothing of it is under way any more, and nothing will be. Everything that is
 * not surely settled or failed is `in-flight`.
 */
export type LightningPaymentView =
  | { readonly state: 'in-flight' }
  | { readonly state: 'settled'; readonly feeMsat: bigint }
  | { readonly state: 'failed'; readonly reason: string };

/** What lies in the channels. */
export interface LightningBalance {
  readonly localMsat: bigint;
  readonly remoteMsat: bigint;
}

/** A Lightning node as the till sees it. Every method may fail with any error: it is asked again from what is stored. */
export interface LightningNode {
  /**
   * Asks the node who it is.
   * @returns `lightning:<network>/<public key>`, stored at the first start and compared at each later one
   * @throws TillgateError `CHAIN_HALTED` when it is not on the configured network; `NODE_FAILED`
   */
  identify(): Promise<string>;
  /** @throws TillgateError `NODE_FAILED` */
  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice>;
  /** An invoice of this node; `null` when it knows none of that hash. @throws TillgateError `NODE_FAILED` */
  invoice(paymentHash: string): Promise<InvoiceView | null>;
  /**
   * What was settled after a cursor (`null`: from the beginning), oldest first, at most `limit`. Empty when nothing new
   * is known now; none is ever left out between two cursors.
   * @throws TillgateError `NODE_FAILED`
   */
  settledAfter(cursor: string | null, limit: number): Promise<readonly Settlement[]>;
  /**
   * Reads a payment request, expired or not; its network and its signature are checked.
   * @throws TillgateError `INVOICE_INVALID` when it cannot be read, is of another network, is signed wrongly, or has an
   * amount that is no whole number of millisatoshi; `NODE_FAILED`
   */
  decode(paymentRequest: string): Promise<DecodedInvoice>;
  /**
   * Pays, and returns as soon as the node has taken the payment on. A payment that it has already, from before, is
   * answered as {@link payment} would.
   * @throws TillgateError `NODE_FAILED` in every unclear case, a lost reply among them: ask for the payment
   */
  pay(request: LightningPaymentRequest): Promise<LightningPaymentView>;
  /** A payment of this node; `null` when it never heard of it. @throws TillgateError `NODE_FAILED` */
  payment(paymentHash: string): Promise<LightningPaymentView | null>;
  balance(): Promise<LightningBalance>;
  /** Calls `listener` when something may have changed; a hint only. @returns what ends it */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

export const LIGHTNING = token<LightningNode | null>('Lightning');
