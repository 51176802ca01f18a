import type { ChainCode } from '../kernel/asset.ts';
import { token } from './token.ts';

/**
 * A whole transaction that is to be signed, as plain JSON: what it spends, whom it pays, its fee and its place on the chain.
 * The fields beside these two are the family's own.
 */
export interface SigningIntent {
  /** Whose {@link TransactionBuilder} reads it: `evm`, `tron`, `utxo`, or a plugin's own. */
  readonly family: string;
  readonly chain: ChainCode;
}

/** What one output or call of a transaction pays. */
export interface BuiltPayment {
  readonly to: string;
  /** The token's contract in the chain's own spelling; `null` for the chain's coin. */
  readonly contract: string | null;
  readonly units: bigint;
  /** The path of the key that `to` is said to be of, where it is an address of the till's own; `null` for anybody's. */
  readonly ownPath: string | null;
}

/** A transaction as its intent describes it, ready to be signed. */
export interface BuiltTransaction {
  /** Everything that it pays, the till's own addresses included. */
  readonly payments: readonly BuiltPayment[];
  /** What it can cost at most, in units of the chain's own coin. */
  readonly feeUnits: bigint;
  /** What only one mined transaction can use: a nonce of a key, coins. Two transactions that share one exclude each other. */
  readonly spends: readonly BuiltSpend[];
  /** What is signed, by the path of the key that signs it. */
  readonly inputs: readonly { readonly path: string; readonly digest: Uint8Array }[];
}

/** A nonce or a coin that a transaction uses up. */
export interface BuiltSpend {
  readonly ref: string;
  /** What the intent says that the coin is worth; `null` where there is no coin. */
  readonly units: bigint | null;
}

/**
 * Makes the transaction of an intent: pure, and the only definition of what the intent's fields mean. Whoever asks for a
 * signature and whoever gives it use the same one, so that what is signed is what was described.
 *
 * @throws TillgateError `SIGNING_REFUSED` for an intent with a field that is missing, unknown or of another form
 */
export type TransactionBuilder = (intent: SigningIntent) => BuiltTransaction;

/** A signature over secp256k1 with low s (SEC 1, BIP-62). */
export interface EcdsaSignature {
  /** r and s, 64 bytes. */
  readonly bytes: Uint8Array;
  /** The recovery id: 0 or 1. */
  readonly recovery: number;
}

/**
 * The only part with access to private keys. The default derives them from the till's seed; a process of its own, a hardware
 * module or a remote service can replace it.
 */
export interface Signer {
  /** The extended public key (BIP-32) of a hardened account path, `m/44'/60'/1'`. */
  extendedPublicKey(path: string): Promise<string>;
  /**
   * Signs the transaction of an intent, one signature for each of its inputs, in their order.
   *
   * @param build - the family's builder; a signer elsewhere has its own copy and does not need it
   * @throws TillgateError `SIGNER_UNAVAILABLE` when it cannot be asked now or is stopped, `SIGNING_REFUSED` when its rules
   * forbid this transaction; nothing was signed then
   */
  sign(intent: SigningIntent, build: TransactionBuilder): Promise<readonly EcdsaSignature[]>;
}

/** Bound to `null`: this installation is watch-only. */
export const SIGNER = token<Signer | null>('Signer');
