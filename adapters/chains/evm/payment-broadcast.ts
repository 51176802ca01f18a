import { TillgateError, isTillgateError } from '../../../core/index.ts';
import { broadcastAnswer, broadcastReason } from '../broadcast-answers.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { EVM_BROADCAST_ANSWERS } from './broadcast-answers.ts';
import { asHash, asObject } from './rpc-values.ts';

/**
 * Sends a signed transaction to a node.
 *
 * A refusal is not conclusive: nodes answer "known already" and "nonce too low" for transactions they have. So after a
 * refusal or a lost reply the transaction itself is looked up.
 *
 * @throws TillgateError `NODE_FAILED` when the node does not have it
 */
export async function sendPayment(
  client: JsonRpcClient,
  { txid, raw }: { readonly txid: string; readonly raw: string },
): Promise<void> {
  try {
    const answer = asHash(await client.call('eth_sendRawTransaction', [raw]), 'the id of what was sent');
    if (answer !== txid)
      throw new TillgateError(
        'NODE_FAILED',
        `The node at ${client.host} accepted ${txid} but returned the id of another transaction.`,
      );
  } catch (error) {
    if (await isKnown(client, txid)) return;
    if (!isTillgateError(error, 'NODE_FAILED') || error.details['rpcCode'] === undefined) throw error;
    const { rpcCode } = error.details;
    const answer = broadcastAnswer(EVM_BROADCAST_ANSWERS, { code: rpcCode, message: error.message });
    throw new TillgateError(
      'NODE_FAILED',
      `The node at ${client.host} did not accept ${txid}: ${broadcastReason(answer)}.`,
      {
        rpcCode,
      },
    );
  }
}

/** Whether the node has a transaction, waiting or mined; `false` also when it does not answer. */
async function isKnown(client: JsonRpcClient, txid: string): Promise<boolean> {
  try {
    const value = await client.call('eth_getTransactionByHash', [txid]);
    return value !== null && asHash(asObject(value, 'a transaction')['hash'], 'transaction hash') === txid;
  } catch (error) {
    if (isTillgateError(error)) return false;
    throw error;
  }
}
