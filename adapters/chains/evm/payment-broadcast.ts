import { TillgateError, isTillgateError } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { asHash, asObject } from './rpc-values.ts';

/** Nodes' words for a refusal, and ours: a node's text can hold anything, ours is fit to keep. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/nonce too low|nonce is too low|old nonce|invalid nonce/i, 'its nonce was used'],
  [/nonce too high|nonce gap/i, 'its nonce is too high'],
  [/underpriced|fee too low|max fee per gas less than|tip too low|below the minimum/i, 'its gas price is too low'],
  [/already known|known transaction|already imported|already exists/i, 'it is said to be known, and is not shown'],
  [/insufficient funds|overdraft|exceeds the balance/i, 'its sender holds too little'],
  [/gas limit|exceeds block/i, 'its gas does not fit into a block'],
];

/**
 * Gives a node a signed transaction.
 *
 * Any refusal is a question: nodes say "known already" and "nonce too low" of what they have, so the transaction itself
 * is looked for. A reply that was lost is the same question.
 *
 * @throws TillgateError `NODE_FAILED` when it is not there
 */
export async function sendPayment(
  client: JsonRpcClient,
  { txid, raw }: { readonly txid: string; readonly raw: string },
): Promise<void> {
  try {
    const answer = asHash(await client.call('eth_sendRawTransaction', [raw]), 'the id of what was sent');
    if (answer !== txid)
      throw new TillgateError('NODE_FAILED', `The node at ${client.host} took ${txid} and named another transaction.`);
  } catch (error) {
    if (await isKnown(client, txid)) return;
    if (!isTillgateError(error, 'NODE_FAILED') || error.details['rpcCode'] === undefined) throw error;
    throw new TillgateError(
      'NODE_FAILED',
      `The node at ${client.host} did not take ${txid}: ${reasonOf(error.message)}.`,
      {
        rpcCode: error.details['rpcCode'],
      },
    );
  }
}

/** Whether the node has a transaction, waiting or mined; `false` too when it does not answer. */
async function isKnown(client: JsonRpcClient, txid: string): Promise<boolean> {
  try {
    const value = await client.call('eth_getTransactionByHash', [txid]);
    return value !== null && asHash(asObject(value, 'a transaction')['hash'], 'transaction hash') === txid;
  } catch (error) {
    if (isTillgateError(error)) return false;
    throw error;
  }
}

function reasonOf(message: string): string {
  return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'it gives a reason of its own';
}
