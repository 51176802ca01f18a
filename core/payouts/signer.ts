import type { ChainCode } from '../kernel/index.ts';
import { token } from '../kernel/index.ts';

/**
 * A whole transaction to sign, as plain JSON: the coins that it spends, the payments that it makes, its fee and its
 * place on the chain. All fields besides these two are defined by the family.
 */
export interface SigningIntent {
  /** The family whose {@link TransactionBuilder} reads it: `evm`, `tron`, `utxo`, or one of a plugin. */
  readonly family: string;
  readonly chain: ChainCode;
}

/** The payment of one output or call of a transaction. */
export interface BuiltPayment {
  readonly to: string;
  /** The token's contract in the chain's own spelling; `null` for the native coin. */
  readonly contract: string | null;
  readonly units: bigint;
  /** The path of the key to which the intent says `to` belongs, for an address of the till; otherwise `null`. */
  readonly ownPath: string | null;
}

/** A transaction as its intent describes it, ready to be signed. */
export interface BuiltTransaction {
  /** All payments, including those to the till's own addresses. */
  readonly payments: readonly BuiltPayment[];
  /** The maximum fee, in units of the chain's native coin. */
  readonly feeUnits: bigint;
  /** The nonces or coins, each for one mined transaction. Transactions that share one exclude each other. */
  readonly spends: readonly BuiltSpend[];
  /** The digests to sign, each with the path of the key that signs it. */
  readonly inputs: readonly { readonly path: string; readonly digest: Uint8Array }[];
}

/** A nonce or a coin that a transaction uses up. */
export interface BuiltSpend {
  readonly ref: string;
  /** The value of the coin according to the intent; `null` where there is no coin. */
  readonly units: bigint | null;
}

/**
 * Builds the transaction of an intent. It is pure, and the only definition of the intent's fields. The requester of a
 * signature and the signer use the same builder, so that what is signed is what was described.
 *
 * @throws TillgateError `SIGNING_REFUSED` for an intent with a field that is missing, unknown or malformed
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
 * The only component with access to private keys. The default derives them from the till's seed; a process of its own,
 * a hardware module or a remote service can replace it.
 */
export interface Signer {
  /** The extended public key (BIP-32) of a hardened account path, `m/44'/60'/1'`. */
  extendedPublicKey(path: string): Promise<string>;
  /**
   * Signs the transaction of an intent, with one signature for each of its inputs, in order.
   *
   * @param build - the family's builder; a signer elsewhere has its own copy and does not need it
   * @throws TillgateError `SIGNER_UNAVAILABLE` when it cannot be reached or is stopped, `SIGNING_REFUSED` when its
   *   rules forbid this transaction; nothing was signed then
   */
  sign(intent: SigningIntent, build: TransactionBuilder): Promise<readonly EcdsaSignature[]>;
}

/** `null` when this installation is watch-only. */
export const SIGNER = token<Signer | null>('Signer');
