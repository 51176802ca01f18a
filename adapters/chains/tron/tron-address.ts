import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';

const TRON_PREFIX = 0x41;

const base58check = createBase58check((bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest());

/** The Tron address (base58 with a checksum) of a key hash, which is the same as for EVM addresses. */
export function tronAddress(key: string): string {
  return base58check.encode(Uint8Array.from([TRON_PREFIX, ...Buffer.from(key, 'hex')]));
}

/** The key hash of a Tron address, 40 lower-case hexadecimal digits; `null` for an invalid text. */
export function tronKey(address: string): string | null {
  try {
    const bytes = base58check.decode(address);
    return bytes.length === 21 && bytes[0] === TRON_PREFIX ? Buffer.from(bytes.subarray(1)).toString('hex') : null;
  } catch {
    return null;
  }
}
