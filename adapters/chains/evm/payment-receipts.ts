import type { BlockRef } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { readBlockRef } from './blocks.ts';
import { judgeMovements } from '../logged-movements.ts';
import type { LoggedPayment } from '../logged-movements.ts';
import { TRANSFER_TOPIC } from './log-matching.ts';
import type { PaymentReading } from './payment-transaction.ts';
import { readFee } from './receipts.ts';
import { asArray, asCount, asHash, asKey, asObject, asUnits, contradictory, toQuantity } from './rpc-values.ts';
import type { RpcObject } from './rpc-values.ts';

/** The receipt of a payment of the till, as returned by the node. */
export interface PaymentReceipt {
  readonly txid: string;
  readonly height: number;
  readonly blockHash: string;
  readonly fromKey: string;
  readonly success: boolean;
  readonly value: RpcObject;
}

/** A receipt and the block of the current chain that contains it. */
export interface MinedReceipt extends PaymentReceipt {
  readonly block: BlockRef;
}

/** @throws TillgateError `NODE_FAILED` when it is malformed, or another transaction's */
export function readPaymentReceipt(value: unknown, txid: string): PaymentReceipt | null {
  if (value === null || value === undefined) return null;
  const receipt = asObject(value, 'a receipt');
  if (asHash(receipt['transactionHash'], "a receipt's transaction") !== txid)
    throw contradictory(`the receipt of ${txid} is another's`);
  return {
    txid,
    height: asCount(receipt['blockNumber'], "a receipt's block number"),
    blockHash: asHash(receipt['blockHash'], "a receipt's block"),
    fromKey: asKey(receipt['from'], "a receipt's sender"),
    success: asUnits(receipt['status'], "a receipt's status") === 1n,
    value: receipt,
  };
}

/** The receipts whose block is on the current chain and lists the transaction. */
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

/** The fee in units of the native coin: from the receipt, or from the signed price where the receipt lacks it. */
export function feeOf({ value }: PaymentReceipt, price: bigint): bigint {
  return readFee({ ...value, effectiveGasPrice: value['effectiveGasPrice'] ?? toQuantity(price) });
}

/**
 * The amount that the token's contract logged for this payment. A payer's authorization is judged by the whole amount
 * only.
 */
export function loggedPayment(
  { value, fromKey }: PaymentReceipt,
  { contract, to, units, payer }: PaymentReading,
): LoggedPayment {
  const key = (address: string): string => address.slice(2).toLowerCase();
  const mover = payer === undefined ? fromKey : key(payer);
  const movements = asArray(value['logs'], "a receipt's logs").flatMap((log) => {
    const { address, topics, data } = asObject(log, 'a log');
    const names = asArray(topics, "a log's topics");
    if (asKey(address, "a log's contract") !== key(contract) || names[0] !== TRANSFER_TOPIC || names.length !== 3)
      return [];
    const [from, recipient] = [names[1], names[2]].map((name) => asHash(name, "a log's address").slice(-40));
    return from === mover ? [{ toKey: recipient ?? '', units: asUnits(data, "a log's amount") }] : [];
  });
  const logged = judgeMovements(movements, { toKey: key(to), units });
  return logged === 'fee' && payer !== undefined ? 'other' : logged;
}
