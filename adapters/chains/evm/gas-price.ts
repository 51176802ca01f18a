import { TillgateError } from '../../../core/index.ts';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';
import { asArray, asObject, asUnits } from './rpc-values.ts';

/** The price of a unit of gas; `legacy` where blocks have no base fee (before EIP-1559). */
export interface GasPrice {
  readonly type: 'eip1559' | 'legacy';
  /** In wei and exact: a transaction of the till costs exactly `gasUsed × price`. */
  readonly price: bigint;
}

/** The network's current price and gas limit. */
export interface NetworkTerms extends GasPrice {
  /**
   * The gas limit of a block: no transaction with a higher limit is ever mined. `null` when the node does not report
   * it.
   */
  readonly blockGasLimit: bigint | null;
}

const GWEI = 1_000_000_000n;
/** The smallest tip that common clients accept, and the largest that is accepted from a node's suggestion. */
const MIN_TIP = GWEI / 1_000n;
const MAX_TIP = 50n * GWEI;
/** Used when the node suggests no tip. */
const USUAL_TIP = GWEI;

/**
 * The price with which the next block should include a transaction.
 *
 * Maximum fee and tip of an EIP-1559 transaction are set to the same price P, so that P is paid whatever the base fee
 * becomes, and the fee of a plain payment is known in advance. P is the next base fee plus a quarter of it, which
 * suffices for at least two full blocks, plus the tip.
 */
export async function fetchGasPrice(client: JsonRpcClient): Promise<NetworkTerms> {
  const [head, history, tip, gasPrice] = (await client.batch([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_feeHistory', params: ['0x1', 'latest', []] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_gasPrice', params: [] },
  ])) as [RpcReply, RpcReply, RpcReply, RpcReply];
  if (head.problem !== null) throw refusal('eth_getBlockByNumber', head.problem, client.host);
  const { baseFeePerGas: baseFee, gasLimit } = asObject(head.result, 'a block');
  const blockGasLimit = gasLimit === undefined ? null : asUnits(gasLimit, "a block's gas limit");
  if (baseFee === undefined || baseFee === null) {
    if (gasPrice.problem !== null) throw refusal('eth_gasPrice', gasPrice.problem, client.host);
    return { type: 'legacy', price: atLeast(asUnits(gasPrice.result, 'gas price'), 1n), blockGasLimit };
  }
  const base = asUnits(baseFee, 'base fee');
  const next = nextBaseFee(history, base);
  return { type: 'eip1559', price: divideUp(next * 5n, 4n) + adviseTip(tip, gasPrice, base), blockGasLimit };
}

/**
 * The price that replaces an earlier one by the network's rule: at least an eighth more, rounded up.
 *
 * @throws TillgateError `STATE_CONFLICT` above the limit, so that the payment waits until the network is cheaper
 */
export function boundedPrice(now: GasPrice, replaced: bigint | null, limit: bigint): GasPrice {
  const price = replaced === null ? now.price : atLeast(now.price, divideUp(replaced * 9n, 8n));
  if (price > limit) {
    throw new TillgateError(
      'STATE_CONFLICT',
      `The gas price is above the configured limit: ${gwei(price)} gwei, at most ${gwei(limit)} are paid.`,
    );
  }
  return { type: now.type, price };
}

/**
 * The price of a transaction that must replace another one: it exceeds the other's price even where the limit is lower.
 */
export function replacingPrice(now: GasPrice, replaced: bigint, limit: bigint): GasPrice {
  const outbid = divideUp(replaced * 9n, 8n);
  const wanted = atLeast(now.price, outbid);
  return { type: now.type, price: wanted > limit ? atLeast(outbid, limit) : wanted };
}

function nextBaseFee(history: RpcReply, base: bigint): bigint {
  // A block raises it by at most an eighth.
  if (history.problem !== null) return divideUp(base * 9n, 8n);
  const fees = asArray(asObject(history.result, 'the fee history')['baseFeePerGas'], 'base fees');
  return asUnits(fees.at(-1), 'the next base fee');
}

function adviseTip(tip: RpcReply, gasPrice: RpcReply, base: bigint): bigint {
  const advised =
    tip.problem === null
      ? asUnits(tip.result, 'a tip')
      : gasPrice.problem === null
        ? asUnits(gasPrice.result, 'gas price') - base
        : USUAL_TIP;
  return advised > MAX_TIP ? MAX_TIP : atLeast(advised, MIN_TIP);
}

function atLeast(value: bigint, least: bigint): bigint {
  return value < least ? least : value;
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** For messages: rounded down to thousandths. */
function gwei(wei: bigint): string {
  return `${wei / GWEI}.${String((wei % GWEI) / 1_000_000n).padStart(3, '0')}`;
}
