import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Digest, SignatureAlgorithm } from '../../core/index.ts';
import type { HmacHash } from './short-hmac.ts';
import { shortHmac } from './short-hmac.ts';

/** OpenSSL names of the algorithms in the `Algorithm` header. */
const HASHES: Readonly<Record<SignatureAlgorithm, HmacHash>> = {
  'HMAC-SHA256': { name: 'sha256', blockBytes: 64 },
  'HMAC-SHA3_256': { name: 'sha3-256', blockBytes: 136 },
};

/**
 * {@link Digest} on `node:crypto`. Plain hashes use the one-shot `hash`, which creates no stream object and takes
 * about half the time of `createHash` on the short texts of a request.
 */
export class CryptoDigest implements Digest {
  md5Hex(bytes: Uint8Array): string {
    return hash('md5', bytes, 'hex');
  }

  sha256Hex(bytes: Uint8Array | string): string {
    return hash('sha256', bytes, 'hex');
  }

  hmac(algorithm: SignatureAlgorithm, key: string | Uint8Array, message: string | Uint8Array): Uint8Array {
    if (typeof key === 'string' && typeof message === 'string') return shortHmac(HASHES[algorithm], key, message);
    return createHmac(HASHES[algorithm].name, key).update(message).digest();
  }

  hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array {
    return createHmac('sha1', key).update(message).digest();
  }

  equal(a: Uint8Array, b: Uint8Array): boolean {
    // timingSafeEqual throws on unequal lengths; a length is not secret here.
    return a.byteLength === b.byteLength && timingSafeEqual(a, b);
  }
}
