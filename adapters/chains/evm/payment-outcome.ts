import { assert } from '../../../core/index.ts';
import type { PayoutOutcome, SignedPayout } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { isPaid } from '../logged-movements.ts';
import { fetchHead } from './blocks.ts';
import type { LayerOneFee } from './evm-options.ts';
import { feeOf, loggedPayment, minedReceipts, readPaymentReceipt } from './payment-receipts.ts';
import type { MinedReceipt } from './payment-receipts.ts';
import { readPayment } from './payment-transaction.ts';
import { asCount, inconsistent, toQuantity } from './rpc-values.ts';
import { explainTakenNonce } from './taken-nonce.ts';

/**
 * Determines the outcome of a payment: by receipts first, then by the nonce, then by the mempool.
 *
 * Everything is read as of one head, so that nodes behind a load balancer that differ by a block do not contradict each
 * other.
 */
export async function paymentOutcome(
  client: JsonRpcClient,
  { chainId, layerOneFee }: { readonly chainId: number; readonly layerOneFee: LayerOneFee | null },
  { source, nonce, attempts }: SignedPayout,
): Promise<PayoutOutcome> {
  assert(nonce !== null, 'a payment without a nonce');
  const head = await fetchHead(client);
  const txids = attempts.map(({ txid }) => txid);
  const [count, ...answers] = await client.batchResults([
    { method: 'eth_getTransactionCount', params: [source.address, toQuantity(head.height)] },
    ...txids.map((txid) => ({ method: 'eth_getTransactionReceipt', params: [txid] })),
    ...txids.map((txid) => ({ method: 'eth_getTransactionByHash', params: [txid] })),
  ]);
  const receipts = txids.map((txid, at) => readPaymentReceipt(answers[at], txid)).filter((receipt) => receipt !== null);
  const mined = await minedReceipts(client, receipts);
  if (mined.length > 1) return { kind: 'unclear', reason: `two transactions of nonce ${nonce} are said to be mined` };
  const [receipt] = mined;
  if (receipt !== undefined) {
    // If it were booked without this fee, the ledger would show more than the address holds.
    if (layerOneFee !== null && (receipt.value['l1Fee'] ?? null) === null)
      throw inconsistent(`the receipt of ${receipt.txid} lacks the fee of the first layer`);
    const raw = attempts.find(({ txid }) => txid === receipt.txid)?.raw ?? '';
    return minedOutcome(receipt, raw, source.address, head.height);
  }
  if (asCount(count, 'a nonce') > nonce) {
    const [first] = attempts;
    assert(first !== undefined, 'a payout has an attempt');
    const taken = { chainId, source: source.address, nonce, headHeight: head.height, txids, raw: first.raw };
    return explainTakenNonce(client, taken);
  }
  return { kind: answers.slice(txids.length).some((transaction) => transaction !== null) ? 'pending' : 'missing' };
}

function minedOutcome(receipt: MinedReceipt, raw: string, source: string, headHeight: number): PayoutOutcome {
  const { txid, block, fromKey } = receipt;
  if (fromKey !== source.slice(2).toLowerCase())
    return { kind: 'unclear', reason: `the receipt of ${txid} names another sender` };
  const payment = readPayment(raw);
  const logged = payment.contract === '' ? 'exact' : loggedPayment(receipt, payment);
  const mined = {
    txid,
    block,
    // A receipt can be from a block after the head that was read.
    confirmations: Math.max(1, headHeight - block.height + 1),
    feeUnits: feeOf(receipt, payment.price),
  };
  // The transaction had another effect than the one that was signed: it is neither booked as paid nor paid again.
  if (receipt.success && logged === 'other')
    return {
      kind: 'unclear',
      reason: `the token's contract logged another movement in ${txid} than was signed`,
      mined,
    };
  return { kind: 'mined', ...mined, succeeded: receipt.success && isPaid(logged), change: null };
}
