import { token } from './token.ts';

/** The purpose of a signature, so that a remote signer can apply a policy. Contains no secret. */
export interface SigningIntent {
  readonly chain: string;
  /** The payments: address, currency, units as digits. */
  readonly payments: readonly { readonly to: string; readonly currency: string; readonly units: string }[];
}

/** A signature over secp256k1 with low s (SEC 1, BIP-62). */
export interface EcdsaSignature {
  /** r and s, 64 bytes. */
  readonly bytes: Uint8Array;
  /** The recovery id: 0 or 1. */
  readonly recovery: number;
}

/**
 * The only part with access to private keys. The default derives them from the till's seed; a hardware module or a remote
 * service can replace it.
 */
export interface Signer {
  /** The extended public key (BIP-32) of a hardened account path, `m/44'/60'/1'`. */
  extendedPublicKey(path: string): Promise<string>;
  /**
   * Signs a 32-byte digest with the key of a full path, `m/44'/60'/0'/0/0`.
   * @throws TillgateError `NOT_READY` when it cannot sign now; nothing was signed then
   */
  sign(path: string, digest: Uint8Array, intent: SigningIntent): Promise<EcdsaSignature>;
}

/** Bound to `null`: this installation is watch-only. */
export const SIGNER = token<Signer | null>('Signer');
