import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';
import type { JsonRpcClient } from '../json-rpc.ts';
import { refusal } from '../json-rpc.ts';
import { asCount } from './rpc-values.ts';

/**
 * The functions of a token (ERC-20) that are called. Imported from `viem/utils` like everything here: the package's
 * main entry would cost a till without EVM chains some 15 MB.
 */
export const ERC20 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
]);

/** The input of a call that moves a token. */
export function transferInput(to: string, units: bigint): Hex {
  return encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [to as Hex, units] });
}

/** The transfer that such an input makes; `null` for every other input. */
export function readTransferInput(input: string): { readonly to: string; readonly units: bigint } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: ERC20, data: input as Hex });
    return functionName === 'transfer' ? { to: args[0], units: args[1] } : null;
  } catch {
    return null;
  }
}

/** A number of 32 bytes. */
const WORD_LENGTH = 66;
/** The code of geth and related nodes for a call that reverted. */
const REVERTED = 3;

/** The decimals of a token contract; `null` when there is no contract, or it does not return them. */
export async function fetchDecimals(client: JsonRpcClient, address: string): Promise<number | null> {
  const data = encodeFunctionData({ abi: ERC20, functionName: 'decimals' });
  const [reply] = await client.batch([{ method: 'eth_call', params: [{ to: address, data }, 'latest'] }]);
  const problem = reply?.problem ?? null;
  if (problem !== null && (problem.code === REVERTED || /revert/i.test(problem.message))) return null;
  if (problem !== null) throw refusal('eth_call', problem, client.host);
  const result = reply?.result;
  return typeof result === 'string' && result.length === WORD_LENGTH ? asCount(result, 'decimals') : null;
}
