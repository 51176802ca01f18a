import type { Asset, CurrencyCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';
import type { BlockRef } from './block-ref.ts';

/** An address of the till's that pays: the hot wallet's for `null`, else the deposit address of that derivation index. */
export interface PayingAddress {
  readonly address: string;
  readonly index: number | null;
}

/** A coin that can be spent; only UTXO chains have them. `ref` is its outpoint, `txid:index`. */
export interface SpendableCoin extends PayingAddress {
  readonly ref: string;
  readonly units: bigint;
}

/** One payment: the receiver gets `units` of `currency`. */
export interface PaymentLine {
  readonly to: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/** What is to be priced. */
export interface PriceRequest {
  readonly source: PayingAddress;
  /** With the units before any fee. One line on account chains, at most `maxLines` elsewhere. */
  readonly lines: readonly PaymentLine[];
  /** What may be spent, on UTXO chains; empty elsewhere. For a bump: exactly the coins of the payout. */
  readonly coins: readonly SpendableCoin[];
  /** The dearest transaction so far of the same nonce or coins, which this one must outbid by the network's rule; `null` for a first. */
  readonly replaces: SignedTransaction | null;
}

/** What a transaction would cost now. */
export interface PricedPayment {
  /**
   * In units of the chain's own coin, for the whole transaction: exact where the chain allows it, otherwise the most that
   * it can cost.
   */
  readonly feeUnits: bigint;
  /** The coins it would spend, on UTXO chains. */
  readonly coins: readonly SpendableCoin[];
  /** The chain's own terms, which `sign` is given again. */
  readonly terms: string;
}

/** What is to be signed: the priced transaction, with what each receiver really gets. */
export interface SignRequest {
  readonly source: PayingAddress;
  /** With the units after the fee; on UTXO chains, coins − lines − fee is change. */
  readonly lines: readonly PaymentLine[];
  readonly priced: PricedPayment;
  /** `null` on chains without nonces. */
  readonly nonce: number | null;
}

/** Signed bytes; whoever holds them can pay. */
export interface SignedTransaction {
  readonly txid: string;
  readonly raw: string;
  readonly feeUnits: bigint;
  readonly terms: string;
  /** What comes back to the hot wallet, on UTXO chains; `null` for none. */
  readonly change: SpendableCoin | null;
  readonly expiresAt: Millis | null;
}

/** A payout as the chain is asked about it. */
export interface SignedPayout {
  readonly source: PayingAddress;
  readonly nonce: number | null;
  /** Refs of the coins it spends, on UTXO chains. */
  readonly coins: readonly string[];
  readonly attempts: readonly { readonly txid: string; readonly raw: string; readonly terms: string; readonly expiresAt: Millis | null }[];
}

/**
 * What became of a payout, as far as the node can show.
 *
 * `missing`: no node has it, so it is to be sent again. `conflicted`: another transaction that the till's own key signed
 * took the nonce or a coin; claimed only with that transaction in hand, its signature checked. `expired`: none of the
 * attempts can be mined any more, for good, and the payout may be signed anew. `unclear`: the node says something that
 * cannot be right; a person must look.
 */
export type PayoutOutcome =
  | { readonly kind: 'pending' | 'missing' | 'expired' }
  | { readonly kind: 'unclear'; readonly reason: string }
  | { readonly kind: 'conflicted'; readonly txid: string; readonly confirmations: number }
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
      /** The change that it made, on UTXO chains. */
      readonly change: SpendableCoin | null;
    };

/** Coins that must lie on chain. `ref` is empty for a whole address on account chains. */
export interface ExpectedCoins {
  readonly ref: string;
  readonly address: string;
  readonly currency: CurrencyCode;
}

/** The paying side of a chain; an adapter without a signer has none and is watch-only. */
export interface ChainPayments {
  /** `account`: balances at addresses, swept to the hot wallet. `utxo`: coins, spent where they lie. */
  readonly model: 'account' | 'utxo';
  /** The coin that fees are paid in. */
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  /** How many payments one transaction takes. */
  readonly maxLines: number;
  /** The least that the network carries of a currency. */
  dust(currency: CurrencyCode): bigint;
  /** How long a transaction may stay unmined before its fee is raised; `null` where it cannot be. */
  readonly bumpAfterMs: number | null;
  /**
   * What the payment would cost now; nothing is signed or kept.
   * @throws TillgateError `INSUFFICIENT_BALANCE` when the coins do not suffice; `STATE_CONFLICT` when the network would
   * refuse or revert it (the message says why); `NODE_FAILED`
   */
  price(request: PriceRequest): Promise<PricedPayment>;
  /** Signs; nothing is sent. @throws TillgateError `NOT_READY` when the signer cannot sign now */
  sign(request: SignRequest): Promise<SignedTransaction>;
  /**
   * Gives a node the bytes. Returns when the node has them, now or from before.
   * @throws TillgateError `NODE_FAILED` in every other case, among them a lost reply and a nonce that was used: ask for the outcome
   */
  broadcast(transaction: { readonly txid: string; readonly raw: string }): Promise<void>;
  outcome(payout: SignedPayout): Promise<PayoutOutcome>;
  /**
   * What the node shows of these, summed by currency: on account chains the balances of the addresses, each asked once;
   * on UTXO chains the coins that are still unspent.
   */
  custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  /** What lies at an address at the node's head; on UTXO chains only the node's own index can tell, `NODE_FAILED` without one. */
  balance(address: string, currency: CurrencyCode): Promise<bigint>;
  /** The lowest nonce that no transaction has used, waiting ones counted; `null` on chains without nonces. */
  nextNonce(address: string): Promise<number | null>;
}
