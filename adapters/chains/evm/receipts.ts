import type { JsonRpcClient } from '../json-rpc.ts';
import { asArray, asCount, asHash, asKey, asObject, asUnits, contradictory, inconsistent } from './rpc-values.ts';
import type { RpcObject } from './rpc-values.ts';

/** The outcome of a mined transaction. */
export interface Receipt {
  readonly txid: string;
  readonly blockHash: string;
  readonly position: number;
  readonly success: boolean;
  readonly fromKey: string;
  /** The fee that the sender paid, in units of the native coin. */
  readonly fee: bigint;
  /**
   * The numbers of its logs in the block, in order. The position of a log in this list survives a reorganisation; its
   * number does not.
   */
  readonly logNumbers: readonly number[];
}

/**
 * The receipts of transactions by id.
 *
 * @throws TillgateError `NODE_FAILED` when the node lacks a receipt that it must have
 */
export async function fetchReceipts(
  client: JsonRpcClient,
  txids: Iterable<string>,
): Promise<ReadonlyMap<string, Receipt>> {
  const wanted = [...new Set(txids)];
  const values = await client.batchResults(
    wanted.map((txid) => ({ method: 'eth_getTransactionReceipt', params: [txid] })),
  );
  const receipts = new Map<string, Receipt>();
  wanted.forEach((txid, at) => {
    const value = values[at];
    if (value === null || value === undefined) throw inconsistent(`the receipt of ${txid} is missing`);
    receipts.set(txid, readReceipt(asObject(value, 'a receipt'), txid));
  });
  return receipts;
}

/** The receipt, which must be of the block that was scanned. */
export function receiptIn(receipts: ReadonlyMap<string, Receipt>, txid: string, blockHash: string): Receipt {
  const receipt = receipts.get(txid);
  if (receipt === undefined || receipt.blockHash !== blockHash)
    throw inconsistent(`the receipt of ${txid} is of another block`);
  return receipt;
}

/** @throws TillgateError `NODE_FAILED` when it is malformed, or of another transaction */
export function readReceipt(value: RpcObject, txid: string): Receipt {
  if (asHash(value['transactionHash'], "a receipt's transaction") !== txid)
    throw contradictory(`the receipt of ${txid} is another's`);
  return {
    txid,
    blockHash: asHash(value['blockHash'], "a receipt's block"),
    position: asCount(value['transactionIndex'], "a receipt's position"),
    success: asUnits(value['status'], "a receipt's status") === 1n,
    fromKey: asKey(value['from'], "a receipt's sender"),
    fee: readFee(value),
    logNumbers: asArray(value['logs'], "a receipt's logs").map((log) =>
      asCount(asObject(log, 'a log')['logIndex'], 'a log number'),
    ),
  };
}

/** The fee that the sender paid, in units of the native coin. */
export function readFee(value: RpcObject): bigint {
  const units = (name: string): bigint =>
    value[name] === undefined || value[name] === null ? 0n : asUnits(value[name], name);
  // Blobs are charged separately (EIP-4844), and so is the first layer's fee on a second layer.
  return units('gasUsed') * units('effectiveGasPrice') + units('blobGasUsed') * units('blobGasPrice') + units('l1Fee');
}
