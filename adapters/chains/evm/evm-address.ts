import { getAddress, isAddress } from 'viem/utils';
import type { PaymentTarget } from '../../../core/index.ts';

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
