import { token } from './token.ts';

/** What a signature is for, so that a remote signer can hold a policy against it. No secret is in it. */
export interface SigningIntent {
  readonly chain: string;
  /** What is paid: address, currency, units as digits. */
  readonly payments: readonly { readonly to: string; readonly currency: string; readonly units: string }[];
}

/** A signature over secp256k1 with low s (SEC 1, BIP-62). */
export interface EcdsaSignature {
  /** r and s, 64 bytes. */
  readonly bytes: Uint8Array;
  /** Which of the candidates the public key is: 0 or 1. */
  readonly recovery: number;
}

/**
 * The only part that ever sees a private key. The default one derives from the till's seed; a hardware module or a
 * remote service can stand in its place.
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

/** `null` bound: this installation is watch-only. */
export const SIGNER = token<Signer | null>('Signer');
