import { decodeErrorResult, decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';
import { asWords } from './tron-values.ts';

/** The functions of a token (TRC-20, which equals ERC-20) that are called. */
const TRC20 = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
]);
const SELECTOR_DIGITS = 8;

/** A call by the name of the function, which every release of the nodes supports. */
export interface TokenCall {
  readonly selector: string;
  /** The encoded arguments, hexadecimal. */
  readonly parameter: string;
}

export function balanceOf(key: string): TokenCall {
  return {
    selector: 'balanceOf(address)',
    parameter: argumentsOf(encodeFunctionData({ abi: TRC20, functionName: 'balanceOf', args: [`0x${key}`] })),
  };
}

export function decimals(): TokenCall {
  return { selector: 'decimals()', parameter: '' };
}

export function transferCall(toKey: string, units: bigint): TokenCall {
  return { selector: 'transfer(address,uint256)', parameter: argumentsOf(`0x${transferData(toKey, units)}`) };
}

/** The input of a `transfer` with its selector, hexadecimal without `0x`. */
export function transferData(toKey: string, units: bigint): string {
  return encodeFunctionData({ abi: TRC20, functionName: 'transfer', args: [`0x${toKey}`, units] }).slice(2);
}

/** The recipient and amount of an input of `transfer`; `null` for any other input. */
export function readTransferData(data: string): { readonly toKey: string; readonly units: bigint } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: TRC20, data: `0x${data}` });
    return functionName === 'transfer' ? { toKey: args[0].slice(2).toLowerCase(), units: args[1] } : null;
  } catch {
    return null;
  }
}

/** The contract's reason for a revert; `null` when it gives none. */
export function revertReason(output: string): string | null {
  try {
    const { errorName, args } = decodeErrorResult({ data: `0x${output}` });
    return errorName === 'Error' ? asWords(args[0]) : errorName;
  } catch {
    return null;
  }
}

function argumentsOf(data: Hex): string {
  return data.slice(2 + SELECTOR_DIGITS);
}
