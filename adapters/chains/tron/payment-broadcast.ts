import { TillgateError, assert } from '../../../core/index.ts';
import { TransportFailure } from '../http-endpoint.ts';
import { readTransaction } from './transaction.ts';
import type { TronClient, TronNode } from './tron-client.ts';
import { asObject, asWords } from './tron-values.ts';

/** What says something about the node: another one may take the transaction. */
const NODE_CODES: ReadonlySet<unknown> = new Set([
  'SERVER_BUSY',
  'NO_CONNECTION',
  'NOT_ENOUGH_EFFECTIVE_CONNECTION',
  'BLOCK_UNSOLIDIFIED',
  undefined,
]);

/**
 * Gives the bytes to the first node that takes them.
 *
 * @throws TillgateError `NODE_FAILED` when none did, or when one says why it never will
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
  const reason = `${node.host} does not take ${txid}: ${asWords(answer['message'])} (${asWords(code)})`;
  if (NODE_CODES.has(code)) throw new TransportFailure(reason);
  // A node remembers what it was offered, taken or not: only the transaction itself shows that it was.
  if (code === 'DUP_TRANSACTION_ERROR') {
    if (await holds(node, txid)) return;
    throw new TransportFailure(reason);
  }
  throw new TillgateError('NODE_FAILED', `The node at ${reason}.`, { nodeCode: asWords(code) });
}

async function holds(node: TronNode, txid: string): Promise<boolean> {
  for (const path of ['/wallet/gettransactionbyid', '/wallet/gettransactionfrompending']) {
    if (asObject(await node.ask(path, { value: txid }), 'a transaction')['txID'] !== undefined) return true;
  }
  return false;
}
