import { raiseAlert } from '../alerts/raise-alert.ts';
import type { AlertChannels } from '../alerts/raise-alert.ts';
import { amountInWords } from '../kernel/amount.ts';
import type { Asset } from '../kernel/asset.ts';
import type { Deposit, UnassignedReason } from './deposit.ts';

/** Why a deposit is unassigned, in words that complete "a payment …". */
export const UNASSIGNED_WORDS: Readonly<Record<UnassignedReason, string>> = {
  late: 'came after the watch window of the order that the address was given to',
  'before-address': 'is older than the order that the address was given to',
};

/** Alerts for new deposits that belong to no order, after the commit. */
export function raiseUnassigned(channels: AlertChannels, assets: readonly Asset[], deposits: readonly Deposit[]): void {
  for (const { id, orderId, chain, currency, units, txid, unassignedReason } of deposits) {
    if (unassignedReason === null) continue;
    const reason =
      `The payment ${txid} on ${chain} of ${amountInWords(assets, currency, units)} ${UNASSIGNED_WORDS[unassignedReason]} ` +
      `(${orderId}). It is unassigned: assign it to an order, or refund it.`;
    raiseAlert(channels, 'deposit', `deposit ${id}`, reason);
  }
}
