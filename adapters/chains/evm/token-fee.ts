import { encodeFunctionData } from 'viem/utils';
import type { Hex } from 'viem';
import type { JsonRpcClient } from '../json-rpc.ts';
import { ERC20, transferInput } from './erc20.ts';
import { asObject, malformed } from './rpc-values.ts';

/** An address of nobody, which receives in the simulation alone. */
const RECEIVER = '0x000000000000000000000000000000007e57ab1e';

/**
 * The fee that a token deducts from a transfer: the node simulates a transfer (`eth_simulateV1` of execution-apis)
 * between two looks at its receiver's balance.
 *
 * @returns `null` where the node simulates nothing, or the transfer is refused
 */
export async function fetchTransferFee(
  client: JsonRpcClient,
  { contract, from, units }: { readonly contract: string; readonly from: string; readonly units: bigint },
): Promise<bigint | null> {
  const look = { to: contract, data: balanceInput() };
  const calls = [look, { from, to: contract, data: transferInput(RECEIVER, units) }, look];
  const [reply] = await client.batch([
    { method: 'eth_simulateV1', params: [{ blockStateCalls: [{ calls }] }, 'latest'] },
  ]);
  // Clients that lack the method answer in words and codes of their own.
  if (reply === undefined || reply.problem !== null) return null;
  const [block] = Array.isArray(reply.result) ? (reply.result as unknown[]) : [];
  const made = asObject(block, 'a simulated block')['calls'];
  const [before, moved, after] = (Array.isArray(made) ? made : []).map((call) => asObject(call, 'a simulated call'));
  if (moved?.['status'] !== '0x1' || before === undefined || after === undefined) return null;
  // Some of the oldest tokens return nothing; one that returns false has moved nothing.
  if (moved['returnData'] !== '0x' && wordIn(moved['returnData']) === 0n) return null;
  return units - (wordIn(after['returnData']) - wordIn(before['returnData']));
}

function wordIn(data: unknown): bigint {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{64}$/i.test(data)) throw malformed('a simulated call');
  return BigInt(data);
}

function balanceInput(): Hex {
  return encodeFunctionData({ abi: ERC20, functionName: 'balanceOf', args: [RECEIVER] });
}
