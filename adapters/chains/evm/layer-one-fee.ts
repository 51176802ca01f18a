import { encodeFunctionData, parseAbi, serializeTransaction, size } from 'viem/utils';
import type { Hex, TransactionSerializable } from 'viem';
import { TillgateError } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';

/** Predeployed on every chain of the OP Stack (its specification, "Predeploys"). */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F';
const ORACLE = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getL1Fee(bytes unsignedTx) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
]);
/**
 * The first layer's base fee rises by at most an eighth for each block; this suffices for three blocks, half a minute.
 */
const MARGIN = [3n, 2n] as const;

/**
 * The maximum fee of a transaction on an OP Stack chain beside its gas: for its bytes on the first layer, and for the
 * operator. It is charged when the transaction is mined and is not a field of it, so the sender must hold it ready.
 *
 * @throws TillgateError `NODE_FAILED` when the chain's contract does not report it
 */
export async function opStackFee(
  client: JsonRpcClient,
  transaction: TransactionSerializable,
  gas: bigint,
): Promise<bigint> {
  const unsigned = serializeTransaction(transaction);
  const [bound, exact, operator] = (await client.batch([
    ask(encodeFunctionData({ abi: ORACLE, functionName: 'getL1FeeUpperBound', args: [BigInt(size(unsigned))] })),
    ask(encodeFunctionData({ abi: ORACLE, functionName: 'getL1Fee', args: [unsigned] })),
    ask(encodeFunctionData({ abi: ORACLE, functionName: 'getOperatorFee', args: [gas] })),
  ])) as [RpcReply, RpcReply, RpcReply];
  const told = [bound, exact].map(wordOf).filter((units) => units !== null);
  if (told.length === 0)
    throw new TillgateError('NODE_FAILED', `The node at ${client.host} did not return the fee of its first layer.`);
  // Chains before the upgrades Fjord and Isthmus have neither the upper bound nor an operator fee.
  const fee = told.reduce((most, units) => (units > most ? units : most)) + (wordOf(operator) ?? 0n);
  return (fee * MARGIN[0] + MARGIN[1] - 1n) / MARGIN[1];
}

function ask(data: Hex): { readonly method: string; readonly params: readonly unknown[] } {
  return { method: 'eth_call', params: [{ to: GAS_PRICE_ORACLE, data }, 'latest'] };
}

/** `null` for a function that the contract does not have. */
function wordOf({ problem, result }: RpcReply): bigint | null {
  return problem === null && typeof result === 'string' && /^0x[0-9a-f]{64}$/i.test(result) ? BigInt(result) : null;
}
