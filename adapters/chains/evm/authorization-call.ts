import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';
import type { Authorization } from '../../../core/index.ts';

/**
 * The functions of a token with EIP-3009 that are called; the form with the separate parts of the signature is the
 * standard's.
 */
const EIP3009 = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

/** The input of a call that executes a payer's authorization in favour of `to`. */
export function authorizationInput(to: string, authorization: Authorization): Hex {
  const { from, units, validAfter, validBefore, nonce, signature } = authorization;
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  return encodeFunctionData({
    abi: EIP3009,
    functionName: 'transferWithAuthorization',
    args: [
      from as Hex,
      to as Hex,
      ...([units, validAfter, validBefore] as const),
      nonce as Hex,
      Number.parseInt(v, 16),
      `0x${r}`,
      `0x${s}`,
    ],
  });
}

/** The transfer that such an input makes; `null` for every other input. */
export function readAuthorizationInput(
  input: string,
): { readonly payer: string; readonly to: string; readonly units: bigint } | null {
  try {
    const [payer, to, units] = decodeFunctionData({ abi: EIP3009, data: input as Hex }).args;
    return { payer, to, units };
  } catch {
    return null;
  }
}
