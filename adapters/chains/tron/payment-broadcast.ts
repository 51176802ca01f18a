import { TillgateError, assert } from '../../../core/index.ts';
import { broadcastAnswer } from '../broadcast-answers.ts';
import { TransportFailure } from '../http-endpoint.ts';
import { TRON_BROADCAST_ANSWERS } from './broadcast-answers.ts';
import { readTransaction } from './transaction.ts';
import type { TronClient, TronNode } from './tron-client.ts';
import { asObject, asWords } from './tron-values.ts';

/**
 * Sends the bytes to the first node that accepts them.
 *
 * @throws TillgateError `NODE_FAILED` when none did, or when one refuses them for good
 */
export async function sendPayment(
  client: TronClient,
  { txid, raw }: { readonly txid: string; readonly raw: string },
): Promise<void> {
  assert(readTransaction(raw).txid === txid, `the bytes of ${txid} are another transaction's`);
  await client.withNode((node) => sendTo(node, txid, raw));
}

async function sendTo(node: TronNode, txid: string, raw: string): Promise<void> {
  const answer = asObject(await node.ask('/wallet/broadcasthex', { transaction: raw }), 'a broadcast');
  const { result, code } = answer;
  if (result === true) return;
  const known = broadcastAnswer(TRON_BROADCAST_ANSWERS, { code, message: '' });
  if (known?.means === 'known' && (await holds(node, txid))) return;
  const reason = `${node.host} did not accept ${txid}: ${asWords(answer['message'])} (${asWords(code)})`;
  // Every node refuses a transaction that one refuses as invalid. Any other answer concerns this node only: another one
  // may accept the transaction.
  if (known?.means !== 'refused') throw new TransportFailure(reason);
  throw new TillgateError('NODE_FAILED', `The node at ${reason}.`, { nodeCode: asWords(code) });
}

async function holds(node: TronNode, txid: string): Promise<boolean> {
  for (const path of ['/wallet/gettransactionbyid', '/wallet/gettransactionfrompending']) {
    if (asObject(await node.ask(path, { value: txid }), 'a transaction')['txID'] !== undefined) return true;
  }
  return false;
}
