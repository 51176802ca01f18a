import { ECDH } from 'node:crypto';
import { getAddress, isAddress, keccak256 } from 'viem/utils';
import type { PaymentTarget } from '../../../core/index.ts';

const UNCOMPRESSED_BYTES = 65;

/** The address with its checksum; `null` for no address, and for mixed case whose checksum (EIP-55) is wrong. */
export function normaliseEvmAddress(text: string): string | null {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return null;
  const digits = text.slice(2);
  const plain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return plain || isAddress(text, { strict: true }) ? getAddress(`0x${digits.toLowerCase()}`) : null;
}

/** The payment as EIP-681 writes it, the amount in base units. */
export function evmPaymentUri(chainId: number, contract: string, { address, units }: PaymentTarget): string {
  return contract === ''
    ? `ethereum:${address}@${chainId}?value=${units}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${units}`;
}

/** An EVM address with its checksum (EIP-55) from a watch key: 40 hexadecimal digits. */
export function evmAddress(key: string): string {
  return getAddress(`0x${key}`);
}

/** The watch key of a public key's EVM address, 40 lower-case hexadecimal digits; the key in 33 or 65 bytes. */
export function evmKey(publicKey: Uint8Array): string {
  // The address is a hash of the uncompressed form; OpenSSL finds the other coordinate ten times faster than script does.
  const point = publicKey.length === UNCOMPRESSED_BYTES ? publicKey : expanded(publicKey);
  return keccak256(point.subarray(1)).slice(-40);
}

function expanded(publicKey: Uint8Array): Uint8Array {
  return ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Uint8Array;
}
