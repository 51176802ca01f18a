import { isTillgateError } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { asArray, asHash, asObject, asUnits } from './rpc-values.ts';
import type { RpcObject } from './rpc-values.ts';

/** Coins that the inner calls of a transaction brought to an address. */
export interface InternalCredit {
  readonly txid: string;
  readonly units: bigint;
}

/** The maximum call depth of the EVM. */
const MAX_DEPTH = 1_024;
const CALL_TYPES: ReadonlySet<string> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);

/**
 * The transactions of a block whose inner calls brought coins to an address: from `debug_traceBlockByHash` where the
 * node offers it; otherwise the only successful transaction whose input contains the address, with all of `units`;
 * otherwise none. They only name the source of an amount that the balances have already proved.
 */
export async function creditsOf(
  client: JsonRpcClient,
  blockHash: string,
  key: string,
  units: bigint,
): Promise<readonly InternalCredit[]> {
  const block = asObject(await client.call('eth_getBlockByHash', [blockHash, true]), 'a block');
  const transactions = asArray(block['transactions'], 'the transactions of a block').map((value) =>
    asObject(value, 'a transaction'),
  );
  const traces = await traceBlock(client, blockHash);
  if (traces === null) return guess(client, transactions, key, units);
  const credits: InternalCredit[] = [];
  traces.forEach((trace, at) => {
    const received = receivedInside(asObject(trace, 'a trace')['result'], key);
    const transaction = transactions[at];
    if (received > 0n && transaction !== undefined)
      credits.push({ txid: asHash(transaction['hash'], 'transaction hash'), units: received });
  });
  return credits;
}

/** One trace for each transaction, in their order; `null` where the node does not trace. */
async function traceBlock(client: JsonRpcClient, blockHash: string): Promise<readonly unknown[] | null> {
  try {
    const traces = await client.call('debug_traceBlockByHash', [blockHash, { tracer: 'callTracer' }]);
    return Array.isArray(traces) ? (traces as readonly unknown[]) : null;
  } catch (error) {
    // Refused, unknown, too slow or too large: the source is not worth failing the scan.
    if (isTillgateError(error, 'NODE_FAILED')) return null;
    throw error;
  }
}

/** The value that inner calls brought. The outermost call is a payment of its own and is not counted. */
function receivedInside(result: unknown, key: string): bigint {
  const root = result as RpcObject | null | undefined;
  if (root === null || typeof root !== 'object' || root['error'] !== undefined) return 0n;
  return receivedBelow(root, key, 0);
}

function receivedBelow(frame: RpcObject, key: string, depth: number): bigint {
  const calls = frame['calls'];
  if (!Array.isArray(calls) || depth > MAX_DEPTH) return 0n;
  let sum = 0n;
  for (const value of calls as readonly unknown[]) {
    const call = asObject(value, 'a call');
    // A failed call reverts its own effects and those of the calls inside it.
    if (call['error'] !== undefined) continue;
    const { type, to } = call;
    const isOurs =
      typeof to === 'string' && to.slice(2).toLowerCase() === key && typeof type === 'string' && CALL_TYPES.has(type);
    if (isOurs && call['value'] !== undefined) sum += asUnits(call['value'], "a call's value");
    sum += receivedBelow(call, key, depth + 1);
  }
  return sum;
}

async function guess(
  client: JsonRpcClient,
  transactions: readonly RpcObject[],
  key: string,
  units: bigint,
): Promise<readonly InternalCredit[]> {
  const named = transactions.filter(({ input }) => typeof input === 'string' && input.toLowerCase().includes(key));
  const only = named[0];
  if (only === undefined || named.length > 1) return [];
  const txid = asHash(only['hash'], 'transaction hash');
  const receipt = await client.call('eth_getTransactionReceipt', [txid]);
  const succeeded = receipt !== null && asObject(receipt, 'a receipt')['status'] === '0x1';
  return succeeded ? [{ txid, units }] : [];
}
