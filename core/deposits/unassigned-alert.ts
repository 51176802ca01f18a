import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import { amountInWords, isDust } from '../kernel/index.ts';
import type { Asset } from '../kernel/index.ts';
import type { Deposit, UnassignedReason } from '../chain/index.ts';

/** Why a deposit is unassigned, worded to complete "a payment …". */
export const UNASSIGNED_WORDS: Readonly<Record<UnassignedReason, string>> = {
  late: 'came after the watch window of the order that the address was given to',
  'before-address': 'is older than the order that the address was given to',
  unexplained: 'was found by the balance of its address and may be older than the order that the address was given to',
};

/** The most deposits of one address and reason in one reading that have an alert each; the last counts the rest. */
const ALERTS_OF_ONE = 5;

/**
 * Raises alerts, after the commit, for new deposits that belong to no order. Dust has none, because there is nothing to
 * decide about it; many payments to one address do not bury other alerts.
 */
export function raiseUnassigned(channels: AlertChannels, assets: readonly Asset[], deposits: readonly Deposit[]): void {
  const worth = deposits.filter(({ currency, units, unassignedReason: reason }) => {
    const asset = assets.find((each) => each.currency === currency);
    return reason !== null && !(asset !== undefined && isDust(asset, units));
  });
  const told = new Map<string, number>();
  for (const { id, orderId, chain, currency, units, txid, unassignedReason } of worth) {
    if (unassignedReason === null) continue;
    const already = told.get(orderId) ?? 0;
    told.set(orderId, already + 1);
    if (already >= ALERTS_OF_ONE) continue;
    const more =
      already + 1 === ALERTS_OF_ONE ? worth.filter((each) => each.orderId === orderId).length - ALERTS_OF_ONE : 0;
    const reason =
      `The payment ${txid} on ${chain} of ${amountInWords(assets, currency, units)} ${UNASSIGNED_WORDS[unassignedReason]} ` +
      `(${orderId}). It is unassigned: assign it to an order, or refund it.` +
      (more > 0 ? ` ${more} more came to the same address at that time; see the list of unassigned deposits.` : '');
    raiseAlert(channels, 'deposit', `deposit ${id}`, reason);
  }
}
