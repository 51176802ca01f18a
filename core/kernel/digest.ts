import { token } from './token.ts';

/** The keyed hashes of request signatures. */
export type SignatureAlgorithm = 'HMAC-SHA256' | 'HMAC-SHA3_256';

/** Hashes and constant-time comparison. Text is encoded as UTF-8. */
export interface Digest {
  /** MD5 as 32 lower-case hexadecimal digits. */
  md5Hex(bytes: Uint8Array): string;
  /** SHA-256 as 64 lower-case hexadecimal digits. */
  sha256Hex(bytes: Uint8Array | string): string;
  /** 32 bytes. */
  hmac(algorithm: SignatureAlgorithm, key: string | Uint8Array, message: string | Uint8Array): Uint8Array;
  /** HMAC-SHA1, 20 bytes, for RFC 6238 only. */
  hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array;
  /** Constant-time for equal lengths; false for unequal ones. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
}

export const DIGEST = token<Digest>('Digest');
