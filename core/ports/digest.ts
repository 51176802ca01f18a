import { token } from './token.ts';

/** The keyed hashes that request signatures name (specification, "Signature authentication"). */
export type SignatureAlgorithm = 'HMAC-SHA256' | 'HMAC-SHA3_256';

/** Hashes and constant-time comparison. Text is taken as UTF-8. */
export interface Digest {
  /** MD5 as 32 lower-case hexadecimal digits. */
  md5Hex(bytes: Uint8Array): string;
  /** SHA-256 as 64 lower-case hexadecimal digits. */
  sha256Hex(bytes: Uint8Array | string): string;
  /** 32 bytes. */
  hmac(algorithm: SignatureAlgorithm, key: string | Uint8Array, message: string | Uint8Array): Uint8Array;
  /** HMAC-SHA1, 20 bytes: what RFC 6238 needs and nothing else may use. */
  hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array;
  /** Constant-time for equal lengths; false, never an error, for unequal ones. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
}

export const DIGEST = token<Digest>('Digest');
