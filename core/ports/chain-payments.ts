import type { Asset, CurrencyCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';
import type { Authorization } from '../transfers/authorization.ts';
import type { BlockRef } from './block-ref.ts';
import type { TokenAuthorizations } from './token-authorizations.ts';

/** A paying address of the till: the hot wallet for `null`, else the deposit address of that derivation index. */
export interface PayingAddress {
  readonly address: string;
  readonly index: number | null;
}

/** A spendable output; only UTXO chains have them. `ref` is its outpoint, `txid:index`. */
export interface SpendableCoin extends PayingAddress {
  readonly ref: string;
  readonly units: bigint;
}

/** One payment: the receiver gets `units` of `currency`. */
export interface PaymentLine {
  readonly to: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The derivation index of `to`, where the till pays a deposit address of its own. */
  readonly toIndex?: number;
  /**
   * A payer's authorization to send to the chain: what it authorizes goes to `to`, while the line's own units are 0 of the
   * chain's coin. Adapters without such tokens never get one, see {@link ChainPayments.authorizations}.
   */
  readonly pull?: Authorization;
}

/** The payment to price. */
export interface PriceRequest {
  readonly source: PayingAddress;
  /**
   * With the units before any fee. One line on account chains, at most `maxLines` elsewhere. None on UTXO chains puts the
   * required coins together: all of it comes back to the hot wallet, and the adapter refuses it while fees are not low.
   */
  readonly lines: readonly PaymentLine[];
  /** The spendable outputs to choose from, on UTXO chains; empty elsewhere. For a bump: exactly those of the payout. */
  readonly coins: readonly SpendableCoin[];
  /** Outputs that are spent besides, whatever is chosen; only on UTXO chains. */
  readonly required?: readonly SpendableCoin[];
  /** The transaction with the highest fee so far of the same nonce or coins, which this one must outbid by the network's rule; `null` for the first. */
  readonly replaces: SignedTransaction | null;
}

/** The current cost of a transaction. */
export interface PricedPayment {
  /**
   * In units of the chain's own coin, for the whole transaction: exact where the chain allows it, otherwise the maximum.
   */
  readonly feeUnits: bigint;
  /** The coins it would spend, on UTXO chains. */
  readonly coins: readonly SpendableCoin[];
  /** The chain's own terms, which are passed to `sign`. */
  readonly terms: string;
}

/** The payout to cancel: a transaction of the till to itself that excludes every attempt of it. */
export interface CancelRequest {
  readonly source: PayingAddress;
  /** Exactly those of the payout, on UTXO chains; empty elsewhere. */
  readonly coins: readonly SpendableCoin[];
  /** That of the payout; `null` on chains without nonces. */
  readonly nonce: number | null;
  /** The last attempt, which this one must outbid by the network's rule. */
  readonly replaces: SignedTransaction;
}

/** The transaction to sign: the priced one, with what each receiver gets. */
export interface SignRequest {
  readonly source: PayingAddress;
  /** With the units after the fee; on UTXO chains, coins − lines − fee is change. */
  readonly lines: readonly PaymentLine[];
  readonly priced: PricedPayment;
  /** `null` on chains without nonces. */
  readonly nonce: number | null;
}

/** Signed bytes. Anybody who has them can broadcast the payment. */
export interface SignedTransaction {
  readonly txid: string;
  readonly raw: string;
  readonly feeUnits: bigint;
  readonly terms: string;
  /** The change, on UTXO chains; `null` for none. */
  readonly change: SpendableCoin | null;
  readonly expiresAt: Millis | null;
}

/** A payout, to ask the chain for its outcome. */
export interface SignedPayout {
  readonly source: PayingAddress;
  readonly nonce: number | null;
  /** Refs of the coins it spends, on UTXO chains. */
  readonly coins: readonly string[];
  readonly attempts: readonly {
    readonly txid: string;
    readonly raw: string;
    readonly terms: string;
    readonly expiresAt: Millis | null;
  }[];
}

/**
 * What a transaction pays that took a payout's nonce or coins and is none of its attempts.
 *
 * `same`: the same receivers the same amounts of the same currency, with nothing of the payout left over. It is the payment,
 * made by a till that knew more than this database does, and can be added to the payout's attempts. `receiver`: one of the
 * receivers, and otherwise something else.
 */
export type RivalPayment =
  | {
      readonly pays: 'same';
      /** As {@link ChainPayments.sign} would have returned it. */
      readonly attempt: Pick<SignedTransaction, 'raw' | 'feeUnits' | 'terms'>;
    }
  | { readonly pays: 'receiver' };

/**
 * The outcome of a payout, as far as the node can show.
 *
 * `missing`: no node has it, so it must be sent again. `conflicted`: another transaction signed by the till's own key took the
 * nonce or a coin; reported only with that transaction present and its signature checked. `expired`: none of the attempts can
 * ever be mined, and the payout may be signed anew. `unclear`: the node's statement cannot be right; an operator must look.
 */
export type PayoutOutcome =
  | { readonly kind: 'pending' | 'missing' | 'expired' }
  | { readonly kind: 'unclear'; readonly reason: string }
  | {
      readonly kind: 'conflicted';
      readonly txid: string;
      readonly confirmations: number;
      /** Left out when it pays none of the receivers. */
      readonly rival?: RivalPayment;
    }
  | {
      readonly kind: 'mined';
      readonly txid: string;
      readonly block: BlockRef;
      /** The block that holds it is the first. */
      readonly confirmations: number;
      /** False when it was mined without effect: reverted, out of gas. */
      readonly succeeded: boolean;
      /** What it cost, in units of the chain's own coin. */
      readonly feeUnits: bigint;
      /** Its change, on UTXO chains. */
      readonly change: SpendableCoin | null;
    };

/** Coins that must be on chain. `ref` is empty for a whole address on account chains. */
export interface ExpectedCoins {
  readonly ref: string;
  readonly address: string;
  readonly currency: CurrencyCode;
}

/** Payouts of a chain; an adapter without a signer has none and is watch-only. */
export interface ChainPayments {
  /** `account`: balances at addresses, swept to the hot wallet. `utxo`: outputs, spent where they are. */
  readonly model: 'account' | 'utxo';
  /** The coin that fees are paid in. */
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  /** Payments that payers authorize by a signature; left out where no token takes them. */
  readonly authorizations?: TokenAuthorizations;
  /** How many payments one transaction can make. */
  readonly maxLines: number;
  /** How many outputs one transaction can spend. A UTXO chain that names it also puts outputs together; see {@link PriceRequest}. */
  readonly maxCoins?: number;
  /** The smallest amount of a currency that the network relays. */
  dust(currency: CurrencyCode): bigint;
  /** How long a transaction may stay unmined before its fee is raised; `null` where it cannot be. */
  readonly bumpAfterMs: number | null;
  /**
   * Prices the payment; nothing is signed or stored.
   * @throws TillgateError `INSUFFICIENT_BALANCE` when the coins do not suffice; `STATE_CONFLICT` when the network would
   * refuse or revert it now (the message says why); `DESTINATION_UNPAYABLE` when the receiver refuses it, or needs more than the
   * chain's limit (gas, energy); `NODE_FAILED`
   */
  price(request: PriceRequest): Promise<PricedPayment>;
  /**
   * Signs; nothing is broadcast.
   * @throws TillgateError `NOT_READY` when it cannot be signed now; `SIGNER_UNAVAILABLE`, `SIGNING_REFUSED` as the signer says
   */
  sign(request: SignRequest): Promise<SignedTransaction>;
  /**
   * Signs a transaction that pays nobody but the till, with the nonce or all coins of a payout, so that at most one of it and
   * the payout's attempts can be mined; nothing is broadcast. Without it, only the expiry of its attempts ends a payout.
   *
   * @throws TillgateError `STATE_CONFLICT`, `INSUFFICIENT_BALANCE` when it cannot be made now; `NOT_READY`, `NODE_FAILED`
   */
  cancel?(request: CancelRequest): Promise<SignedTransaction>;
  /**
   * Broadcasts the bytes. Returns when a node has them, also when it had them before.
   * @throws TillgateError `NODE_FAILED` in every other case, among them a lost reply and a nonce that was used: ask for the outcome
   */
  broadcast(transaction: { readonly txid: string; readonly raw: string }): Promise<void>;
  outcome(payout: SignedPayout): Promise<PayoutOutcome>;
  /**
   * What the node shows of these, summed by currency: on account chains the balances of the addresses, each read once; on
   * UTXO chains the outputs that are unspent.
   */
  custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  /** An address's balance at the node's head. UTXO chains need the node's own index: `NODE_FAILED` without one. */
  balance(address: string, currency: CurrencyCode): Promise<bigint>;
  /** The unspent outputs of an address of the hot wallet, mined; only on UTXO chains, and where the node can search for them. */
  unspent?(address: string): Promise<readonly SpendableCoin[]>;
  /** The lowest unused nonce, pending transactions counted; `null` on chains without nonces. */
  nextNonce(address: string): Promise<number | null>;
}
