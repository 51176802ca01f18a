import { parseTransaction } from 'viem/utils';
import type { TransactionSerialized } from 'viem';
import type { RivalPayment } from '../../../core/index.ts';
import { readTransferInput } from './erc20.ts';
import { writeTerms } from './payment-terms.ts';
import { readPayment } from './payment-transaction.ts';

/**
 * The payment of a foreign transaction that used the nonce of a payout; `null` when it pays none of its receivers.
 *
 * @param raw - the signed bytes of the foreign transaction, checked
 * @param own - the signed bytes of the payout
 */
export function rivalPayment(raw: string, own: string): RivalPayment | null {
  const { to, data, type, gas = 0n, value = 0n } = parseTransaction(raw as TransactionSerialized);
  if (typeof to !== 'string') return null;
  const isTransfer = data !== undefined && readTransferInput(data) !== null;
  // The till makes no other calls, and no token transfers that carry coins.
  const isPayment = isTransfer ? value === 0n : data === undefined || data === '0x';
  const [rival, wanted] = [readPayment(raw), readPayment(own)];
  if (rival.to !== wanted.to) return null;
  if (!isPayment || rival.contract !== wanted.contract || rival.units !== wanted.units) return { pays: 'receiver' };
  const { price } = rival;
  const terms = writeTerms({
    type: type === 'eip1559' ? 'eip1559' : 'legacy',
    gas,
    price,
    provisional: false,
    beside: 0n,
  });
  return { pays: 'same', attempt: { raw, feeUnits: gas * price, terms } };
}
