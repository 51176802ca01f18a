import type { BlockRef } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { readBlockRef } from './blocks.ts';
import { TRANSFER_TOPIC } from './log-matching.ts';
import type { PaymentReading } from './payment-transaction.ts';
import { readFee } from './receipts.ts';
import { asArray, asCount, asHash, asKey, asObject, asUnits, inconsistent, toQuantity } from './rpc-values.ts';
import type { RpcObject } from './rpc-values.ts';

/** The receipt of a payment of ours, as it came. */
export interface PaymentReceipt {
  readonly txid: string;
  readonly height: number;
  readonly blockHash: string;
  readonly fromKey: string;
  readonly success: boolean;
  readonly value: RpcObject;
}

/** A receipt and the block of the present chain that holds it. */
export interface MinedReceipt extends PaymentReceipt {
  readonly block: BlockRef;
}

/** @throws TillgateError `NODE_FAILED` when it is malformed, or another transaction's */
export function readPaymentReceipt(value: unknown, txid: string): PaymentReceipt | null {
  if (value === null || value === undefined) return null;
  const receipt = asObject(value, 'a receipt');
  if (asHash(receipt['transactionHash'], "a receipt's transaction") !== txid)
    throw inconsistent(`the receipt of ${txid} is another's`);
  return {
    txid,
    height: asCount(receipt['blockNumber'], "a receipt's block number"),
    blockHash: asHash(receipt['blockHash'], "a receipt's block"),
    fromKey: asKey(receipt['from'], "a receipt's sender"),
    success: asUnits(receipt['status'], "a receipt's status") === 1n,
    value: receipt,
  };
}

/** Those of the receipts whose block is on the present chain and lists the transaction. */
export async function minedReceipts(
  client: JsonRpcClient,
  receipts: readonly PaymentReceipt[],
): Promise<readonly MinedReceipt[]> {
  if (receipts.length === 0) return [];
  const blocks = await client.batchResults(
    receipts.map(({ height }) => ({ method: 'eth_getBlockByNumber', params: [toQuantity(height), false] })),
  );
  return receipts.flatMap((receipt, at) => {
    const value = blocks[at];
    if (value === null || value === undefined) return [];
    const block = readBlockRef(value);
    const listed = asArray(asObject(value, 'a block')['transactions'], 'the transactions of a block').includes(
      receipt.txid,
    );
    return block.hash === receipt.blockHash && listed ? [{ ...receipt, block }] : [];
  });
}

/** What it cost, in units of the native coin: read from the receipt, and from our own price where that leaves it out. */
export function feeOf({ value }: PaymentReceipt, price: bigint): bigint {
  return readFee({ ...value, effectiveGasPrice: value['effectiveGasPrice'] ?? toQuantity(price) });
}

/**
 * Whether a token's contract logged exactly this payment; `other` when it logged a movement from the paying address that
 * is not the one that was signed.
 */
export function loggedPayment(
  { value, fromKey }: PaymentReceipt,
  { contract, to, units, payer }: PaymentReading,
): 'exact' | 'other' | 'none' {
  const key = (address: string): string => address.slice(2).toLowerCase();
  const mover = payer === undefined ? fromKey : key(payer);
  const movements = asArray(value['logs'], "a receipt's logs").flatMap((log) => {
    const { address, topics, data } = asObject(log, 'a log');
    const names = asArray(topics, "a log's topics");
    if (asKey(address, "a log's contract") !== key(contract) || names[0] !== TRANSFER_TOPIC || names.length !== 3)
      return [];
    const [from, recipient] = [names[1], names[2]].map((name) => asHash(name, "a log's address").slice(-40));
    return from === mover ? [{ recipient, units: asUnits(data, "a log's amount") }] : [];
  });
  if (movements.some((one) => one.recipient === key(to) && one.units === units)) return 'exact';
  return movements.length > 0 ? 'other' : 'none';
}
