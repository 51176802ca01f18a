import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';

/**
 * What is read of a token (ERC-20). From `viem/utils`, as everything here: the package's main entry would cost a till
 * that follows no EVM chain's clients some fifteen megabytes.
 */
export const ERC20 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
]);

/** The input of a call that moves a token. */
export function transferInput(to: string, units: bigint): Hex {
  return encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [to as Hex, units] });
}

/** What such an input pays; `null` for every other input. */
export function readTransferInput(input: string): { readonly to: string; readonly units: bigint } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: ERC20, data: input as Hex });
    return functionName === 'transfer' ? { to: args[0], units: args[1] } : null;
  } catch {
    return null;
  }
}
