import { ECDH } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { PaymentTarget } from '../../../core/index.ts';

const UNCOMPRESSED_BYTES = 65;

/** The checksummed address; `null` for text that is no address, or in mixed case with a wrong checksum (EIP-55). */
export function normaliseEvmAddress(text: string): string | null {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return null;
  const digits = text.slice(2);
  const plain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  const address = evmAddress(digits.toLowerCase());
  return plain || text === address ? address : null;
}

/** The payment as an EIP-681 URI, with the amount in base units. */
export function evmPaymentUri(chainId: number, contract: string, { address, units }: PaymentTarget): string {
  return contract === ''
    ? `ethereum:${address}@${chainId}?value=${units}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${units}`;
}

/** An EVM address with its checksum (EIP-55) from a watch key: 40 lower-case hexadecimal digits. */
export function evmAddress(key: string): string {
  // A letter is upper case where the hash of the lower-case text has a digit of 8 or more.
  const hash = keccak(Buffer.from(key, 'latin1'));
  return `0x${key.replace(/[a-f]/g, (letter, at: number) => (hash.charAt(at) >= '8' ? letter.toUpperCase() : letter))}`;
}

/** The watch key of a public key's EVM address, 40 lower-case hexadecimal digits; the key in 33 or 65 bytes. */
export function evmKey(publicKey: Uint8Array): string {
  // The address is a hash of the uncompressed key; OpenSSL computes the other coordinate ten times faster than
  // JavaScript.
  const point = publicKey.length === UNCOMPRESSED_BYTES ? publicKey : expanded(publicKey);
  return keccak(point.subarray(1)).slice(-40);
}

function keccak(bytes: Uint8Array): string {
  return Buffer.from(keccak_256(bytes)).toString('hex');
}

function expanded(publicKey: Uint8Array): Uint8Array {
  return ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Uint8Array;
}
