import { createHmac } from 'node:crypto';
import type { HDKey } from '@scure/bip32';
import { assert, present } from '../../core/index.ts';
import { fastSecp256k1 } from '../crypto/fast-secp256k1.ts';
import type { FastSecp256k1 } from '../crypto/fast-secp256k1.ts';

/** The arithmetic that public derivation needs, on bytes. */
type Curve = Pick<FastSecp256k1, 'pointAdd' | 'pointFromScalar' | 'pointCompress'>;

const HARDENED = 0x80000000;
const KEY_BYTES = 33;

/** The children of one public key (BIP-32, CKDpub). */
export class PublicChildren {
  readonly #parent: HDKey;
  readonly #fast: Curve | null;
  readonly #key: Uint8Array;
  readonly #chainCode: Uint8Array;
  /** Uncompressed, which saves a square root for each child. */
  readonly #point: Uint8Array;

  /** @param fast - the native arithmetic; `null` for @scure/bip32 alone */
  constructor(parent: HDKey, fast: Curve | null = fastSecp256k1()) {
    this.#parent = parent;
    this.#key = present(parent.publicKey, 'a public key');
    this.#chainCode = present(parent.chainCode, 'a chain code');
    // A wrong address loses money: compare the native library with the JavaScript one once before using it.
    this.#fast = fast !== null && agrees(fast, parent, this.#key, this.#chainCode) ? fast : null;
    this.#point = this.#fast?.pointCompress(this.#key, false) ?? this.#key;
  }

  /** The compressed key of a child, 33 bytes. */
  compressed(index: number): Uint8Array {
    return this.#child(index, true) ?? this.#slow(index);
  }

  /** A child's key, uncompressed (65 bytes) where that is free, else 33 bytes. */
  point(index: number): Uint8Array {
    return this.#child(index, false) ?? this.#slow(index);
  }

  #child(index: number, compressed: boolean): Uint8Array | null {
    assert(Number.isInteger(index) && index >= 0 && index < HARDENED, `a public child ${index}`);
    return this.#fast === null
      ? null
      : childOf(this.#fast, this.#point, tweakOf(this.#key, this.#chainCode, index), compressed);
  }

  /** Uses the next index where BIP-32 defines no child, once in 2^127. */
  #slow(index: number): Uint8Array {
    return present(this.#parent.deriveChild(index).publicKey, 'a public key');
  }
}

/** The left half of HMAC-SHA512 over the parent's key and the index. */
function tweakOf(key: Uint8Array, chainCode: Uint8Array, index: number): Uint8Array {
  const data = Buffer.alloc(KEY_BYTES + 4);
  data.set(key);
  data.writeUInt32BE(index, KEY_BYTES);
  return createHmac('sha512', chainCode).update(data).digest().subarray(0, 32);
}

/**
 * The parent's point plus a multiple of the base point; `null` where BIP-32 calls the child invalid, and for a tweak of 0.
 * The library has tables for multiples of the base point, which its `pointAddScalar` does not use.
 */
export function childOf(fast: Curve, point: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array | null {
  try {
    const multiple = fast.pointFromScalar(tweak, false);
    return multiple === null ? null : fast.pointAdd(point, multiple, compressed);
  } catch {
    // The tweak is 0 or not below the order of the curve.
    return null;
  }
}

function agrees(fast: Curve, parent: HDKey, key: Uint8Array, chainCode: Uint8Array): boolean {
  const found = childOf(fast, key, tweakOf(key, chainCode, 0), true);
  const known = parent.deriveChild(0).publicKey;
  return found !== null && known !== null && Buffer.from(found).equals(known);
}
