import type { Asset, BlockRef, CurrencyCode, Millis } from '../kernel/index.ts';
import type { Authorization } from './authorization.ts';
import type { TokenAuthorizations } from './token-authorizations.ts';

/** A paying address: the hot wallet for index `null`, otherwise the deposit address of that derivation index. */
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
  /** The derivation index of `to`, when the receiver is a deposit address of the till. */
  readonly toIndex?: number;
  /**
   * A payer's x402 authorization to send to the chain. The authorized amount goes to `to`, and the line's own units are
   * 0 of the native coin. Given only to adapters that have {@link ChainPayments.authorizations}.
   */
  readonly charge?: Authorization;
}

/** The payment to price. */
export interface PriceRequest {
  readonly source: PayingAddress;
  /**
   * Payments with the units before any fee: one line on account chains, at most `maxLines` elsewhere. No line, on UTXO
   * chains only, merges the required coins into one output of the hot wallet; the adapter refuses it while fees are not
   * low.
   */
  readonly lines: readonly PaymentLine[];
  /** The outputs to choose from, on UTXO chains only. When a fee is raised, exactly the coins of the payout. */
  readonly coins: readonly SpendableCoin[];
  /** Outputs that must be spent in addition to the chosen ones; only on UTXO chains. */
  readonly required?: readonly SpendableCoin[];
  /**
   * The transaction with the highest fee so far that has the same nonce or coins. The new one must outbid it by the
   * network's rule. `null` for the first.
   */
  readonly replaces: SignedTransaction | null;
}

/** The current cost of a transaction. */
export interface PricedPayment {
  /** The fee of the whole transaction in units of the native coin: exact if the chain allows it, or the maximum. */
  readonly feeUnits: bigint;
  /** The coins it would spend, on UTXO chains. */
  readonly coins: readonly SpendableCoin[];
  /** Opaque terms of the adapter, passed on to `sign`. */
  readonly terms: string;
}

/** A payout to cancel by a transaction of the till to itself that excludes every attempt of the payout. */
export interface CancelRequest {
  readonly source: PayingAddress;
  /** Exactly the coins of the payout, on UTXO chains; empty elsewhere. */
  readonly coins: readonly SpendableCoin[];
  /** The nonce of the payout; `null` on chains without nonces. */
  readonly nonce: number | null;
  /** The last attempt, which the cancelling transaction must outbid by the network's rule. */
  readonly replaces: SignedTransaction;
}

/** A transaction to sign: the priced one, with the amount that each receiver gets. */
export interface SignRequest {
  readonly source: PayingAddress;
  /** Payments with the units after the fee. On UTXO chains, coins − lines − fee is the change. */
  readonly lines: readonly PaymentLine[];
  readonly priced: PricedPayment;
  /** `null` on chains without nonces. */
  readonly nonce: number | null;
}

/** A signed transaction. Anybody who has its bytes can broadcast the payment. */
export interface SignedTransaction {
  readonly txid: string;
  readonly raw: string;
  readonly feeUnits: bigint;
  readonly terms: string;
  /** The change, on UTXO chains; `null` for none. */
  readonly change: SpendableCoin | null;
  readonly expiresAt: Millis | null;
}

/** A payout whose outcome is read from the chain. */
export interface SignedPayout {
  readonly source: PayingAddress;
  readonly nonce: number | null;
  /** The outpoints of the coins that it spends, on UTXO chains. */
  readonly coins: readonly string[];
  readonly attempts: readonly {
    readonly txid: string;
    readonly raw: string;
    readonly terms: string;
    readonly expiresAt: Millis | null;
  }[];
}

/**
 * What a transaction pays that used a payout's nonce or coins and is none of its attempts.
 *
 * `same`: the same receivers get the same amounts of the same currency, and nothing of the payout is left over. It is
 * the payment itself, made by a till with a newer database, and can be added to the payout's attempts. `receiver`: it
 * pays one of the receivers, and otherwise something else.
 */
export type RivalPayment =
  | {
      readonly pays: 'same';
      /** The attempt as {@link ChainPayments.sign} would have returned it. */
      readonly attempt: Pick<SignedTransaction, 'raw' | 'feeUnits' | 'terms'>;
    }
  | { readonly pays: 'receiver' };

/** The mined transaction of a payout. */
export interface MinedPayout {
  readonly txid: string;
  readonly block: BlockRef;
  /** The number of confirmations; the block that holds the transaction is the first. */
  readonly confirmations: number;
  /** The fee that was paid, in units of the chain's native coin. */
  readonly feeUnits: bigint;
}

/**
 * The outcome of a payout, as far as the node can show it.
 *
 * `missing`: no node has it, so it must be sent again. `conflicted`: another transaction signed by the till's own key
 * used the nonce or a coin; reported only when that transaction is present and its signature was checked. `expired`:
 * none of the attempts can ever be mined, and the payout may be signed again. `unclear`: the node's answers are
 * inconsistent, or the transaction is mined and had another effect than the one that was signed; an operator must
 * decide.
 */
export type PayoutOutcome =
  | { readonly kind: 'pending' | 'missing' | 'expired' }
  | {
      readonly kind: 'unclear';
      readonly reason: string;
      /** The transaction that had another effect than the one that was signed. */
      readonly mined?: MinedPayout;
    }
  | {
      readonly kind: 'conflicted';
      readonly txid: string;
      readonly confirmations: number;
      /** Absent when the other transaction pays none of the receivers. */
      readonly rival?: RivalPayment;
    }
  | (MinedPayout & {
      readonly kind: 'mined';
      /** False when it was mined without effect: reverted, or out of gas. */
      readonly succeeded: boolean;
      /** The change, on UTXO chains. */
      readonly change: SpendableCoin | null;
    });

/** Coins that must be on the chain. `ref` is empty for the whole balance of an address on account chains. */
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
  /** Payments that payers authorize by a signature; absent where no token supports them. */
  readonly authorizations?: TokenAuthorizations;
  /** The most payments that one transaction can make. */
  readonly maxLines: number;
  /** The most outputs of one transaction. A UTXO chain that sets it also merges outputs; see {@link PriceRequest}. */
  readonly maxCoins?: number;
  /** The smallest amount of a currency that the network relays. */
  dust(currency: CurrencyCode): bigint;
  /** Milliseconds after which the fee of an unmined transaction is raised; `null` where it cannot be. */
  readonly bumpAfterMs: number | null;
  /**
   * Prices the payment; nothing is signed or stored.
   * @throws TillgateError `INSUFFICIENT_BALANCE` when the coins do not suffice; `STATE_CONFLICT` when the network would
   *   refuse or revert it now (the message gives the reason); `DESTINATION_UNPAYABLE` when the receiver refuses it or
   *   needs more than the chain's limit (gas, energy); `NODE_FAILED`
   */
  price(request: PriceRequest): Promise<PricedPayment>;
  /**
   * Signs; nothing is broadcast.
   * @throws TillgateError `NOT_READY` when it cannot be signed now; `SIGNER_UNAVAILABLE` and `SIGNING_REFUSED` from the
   *   signer
   */
  sign(request: SignRequest): Promise<SignedTransaction>;
  /**
   * Signs a transaction that pays only the till itself, with the nonce or all coins of a payout, so that at most one of
   * it and the payout's attempts can be mined; nothing is broadcast. Without this method, a payout ends only when its
   * attempts expire.
   *
   * @throws TillgateError `STATE_CONFLICT`, `INSUFFICIENT_BALANCE` when it cannot be made now; `NOT_READY`,
   *   `NODE_FAILED`
   */
  cancel?(request: CancelRequest): Promise<SignedTransaction>;
  /**
   * Broadcasts the bytes. Returns when a node has them, also when it already had them.
   * @throws TillgateError `NODE_FAILED` in every other case, such as a lost reply or a used nonce: read the outcome
   */
  broadcast(transaction: { readonly txid: string; readonly raw: string }): Promise<void>;
  outcome(payout: SignedPayout): Promise<PayoutOutcome>;
  /**
   * The present amounts of these coins, summed by currency: on account chains the balances of the addresses, each read
   * once; on UTXO chains the outputs that are unspent.
   */
  custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  /** An address's balance at the node's head. UTXO chains need the node's own index: `NODE_FAILED` without one. */
  balance(address: string, currency: CurrencyCode): Promise<bigint>;
  /** The mined unspent outputs of an address of the hot wallet; only on UTXO chains whose node can search for them. */
  unspent?(address: string): Promise<readonly SpendableCoin[]>;
  /**
   * The fee that a token would keep of a transfer of the hot wallet's whole balance; `null` where that cannot be simulated: the
   * wallet has none, or the node simulates no transfers.
   */
  transferFee?(currency: CurrencyCode): Promise<bigint | null>;
  /** The lowest unused nonce, counting pending transactions; `null` on chains without nonces. */
  nextNonce(address: string): Promise<number | null>;
}
