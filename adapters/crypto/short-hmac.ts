import { createHmac, hash } from 'node:crypto';

/** OpenSSL's name of a hash, and its block length in bytes (FIPS 198-1: the length that a key is padded to). */
export interface HmacHash {
  readonly name: string;
  readonly blockBytes: number;
}

const DIGEST_BYTES = 32;
const MAX_BLOCK_BYTES = 136;
/** UTF-8 needs at most three bytes for each UTF-16 unit. */
const MAX_MESSAGE_UNITS = 2048;

/** Reused by each call, never across an await: an allocation for each would cost as much as the hash. */
const inner = Buffer.alloc(MAX_BLOCK_BYTES + MAX_MESSAGE_UNITS * 3);
const outer = Buffer.alloc(MAX_BLOCK_BYTES + DIGEST_BYTES);

/**
 * HMAC (FIPS 198-1) of many short texts under one key, for hashes of 32 bytes: the key is padded once, and each text
 * takes two one-shot hashes. The key must not be longer than a block.
 */
export class ShortHmac {
  readonly #hash: HmacHash;
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(hmacHash: HmacHash, key: Uint8Array) {
    const { blockBytes } = hmacHash;
    if (key.length > blockBytes) throw new RangeError('The key is longer than a block of its hash.');
    this.#hash = hmacHash;
    this.#inner = Buffer.alloc(blockBytes + MAX_MESSAGE_UNITS * 3);
    this.#outer = Buffer.alloc(blockBytes + DIGEST_BYTES);
    for (let at = 0; at < blockBytes; at++) {
      const byte = key[at] ?? 0;
      this.#inner[at] = byte ^ 0x36;
      this.#outer[at] = byte ^ 0x5c;
    }
  }

  /** The HMAC of a text's UTF-8 form, in hexadecimal digits; `null` for a text that is too long. */
  hex(message: string): string | null {
    if (message.length > MAX_MESSAGE_UNITS) return null;
    const { name, blockBytes } = this.#hash;
    const end = blockBytes + this.#inner.write(message, blockBytes);
    this.#outer.write(hash(name, this.#inner.subarray(0, end), 'binary'), blockBytes, 'binary');
    return hash(name, this.#outer, 'hex');
  }
}

/**
 * HMAC (FIPS 198-1) of a text under a text, for hashes of 32 bytes.
 *
 * The signing text and the secret are short, and for those `createHmac` spends most of its time on creating and
 * collecting its native object. Two one-shot hashes over a padded key take half as long. A key longer than a block
 * or a long message uses `createHmac`.
 */
export function shortHmac({ name, blockBytes }: HmacHash, key: string, message: string): Uint8Array {
  if (Buffer.byteLength(key) > blockBytes || message.length > MAX_MESSAGE_UNITS)
    return createHmac(name, key).update(message).digest();
  const keyBytes = inner.write(key, 0);
  for (let at = 0; at < blockBytes; at++) {
    const byte = at < keyBytes ? (inner[at] as number) : 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  const end = blockBytes + inner.write(message, blockBytes);
  outer.write(hash(name, inner.subarray(0, end), 'binary'), blockBytes, 'binary');
  return Buffer.from(hash(name, outer.subarray(0, blockBytes + DIGEST_BYTES), 'binary'), 'binary');
}
