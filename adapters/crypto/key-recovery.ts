import { secp256k1 } from '@noble/curves/secp256k1.js';
import { fastSecp256k1 } from './fast-secp256k1.ts';
import type { FastSecp256k1 } from './fast-secp256k1.ts';

/** An ECDSA signature over secp256k1 from which the signer's key can be recovered (SEC 1, section 4.1.6). */
export interface RecoverableSignature {
  /** `r` and `s`, 64 bytes. */
  readonly compact: Uint8Array;
  /** From 0 to 3. */
  readonly recoveryId: number;
}

/** Recovers signers' public keys. */
export class KeyRecovery {
  #fast: Pick<FastSecp256k1, 'recover'> | null;
  /** Whether the fast library has agreed with the JavaScript one. */
  #proved = false;

  /** @param fast - the native arithmetic; `null` for JavaScript alone */
  constructor(fast: Pick<FastSecp256k1, 'recover'> | null = fastSecp256k1()) {
    this.#fast = fast;
  }

  /**
   * The compressed public key of whoever signed the digest, in hexadecimal digits.
   *
   * @param digest - 32 bytes
   * @throws Error when no key can have made this signature
   */
  recover(digest: Uint8Array, signature: RecoverableSignature): string {
    const found = this.#fast === null ? null : quickly(this.#fast, digest, signature);
    if (found !== null && this.#proved) return found;
    const known = slowly(digest, signature);
    // A wrong key misdirects a payment, so the native library is compared with the JavaScript one before it is believed.
    if (found !== null && found === known) this.#proved = true;
    else if (found !== null) this.#fast = null;
    return known;
  }
}

/** `null` for a signature that the native library refuses: it refuses some with a recovery id above 1 that are valid. */
function quickly(
  fast: Pick<FastSecp256k1, 'recover'>,
  digest: Uint8Array,
  { compact, recoveryId }: RecoverableSignature,
): string | null {
  try {
    const key = fast.recover(digest, compact, recoveryId as 0 | 1 | 2 | 3, true);
    return key === null ? null : hex(key);
  } catch {
    return null;
  }
}

function slowly(digest: Uint8Array, { compact, recoveryId }: RecoverableSignature): string {
  // The library's form has the recovery id first.
  return hex(secp256k1.recoverPublicKey(Buffer.concat([Buffer.of(recoveryId), compact]), digest, { prehash: false }));
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
