import { assert, present } from '../kernel/guard.ts';
import { FEES_ACCOUNT, merchantAccount } from '../ledger/entry.ts';
import type { Posting } from '../ledger/entry.ts';
import type { NetworkCost } from '../ledger/transfer-entries.ts';
import type { Millis } from '../kernel/time.ts';
import type { Transaction } from '../ports/storage.ts';
import { secondsLeft } from './authorization.ts';
import type { Authorization } from './authorization.ts';
import { isPull } from './transfer.ts';
import type { Transfer } from './transfer.ts';

/** What sending an authorization may cost at most, as a share of its amount in basis points. */
const MOST_FEE_BPS = 500n;
const BPS = 10_000n;

/** The most that the network's fee may be, in the token; 0 for an amount that is not worth any. */
export function mostPullFee({ units }: Pick<Authorization, 'units'>): bigint {
  return (units * MOST_FEE_BPS) / BPS;
}

/** True for a payout that sends an authorization which no block can take any more: it could only cost gas. */
export function hasLapsed(transfers: readonly Transfer[], now: Millis): boolean {
  return transfers.some((transfer) => isPull(transfer) && secondsLeft(transfer.authorization, now) <= 0n);
}

/** True when a transaction would cost more than what a pull's merchant may be charged. */
export function exceedsPullFee(transfers: readonly Transfer[], feeUnits: bigint): boolean {
  return transfers.some((transfer) => isPull(transfer) && feeUnits > transfer.maxFeeUnits);
}

/**
 * The postings by which the merchant pays what a pull has cost, in the token: at the rate by which its bound was set, so that
 * no rate has to be known now, and never more than the balance; the till pays the rest. None for every other transfer.
 */
export async function pullCharge(tx: Transaction, transfer: Transfer, cost: NetworkCost): Promise<readonly Posting[]> {
  if (!isPull(transfer)) return [];
  const { id, orderId, maxFeeUnits, authorization } = transfer;
  assert(maxFeeUnits > 0n, `pull ${id} has no bound`);
  const order = await tx.orders.lock(present(orderId, `the order of pull ${id}`));
  const account = merchantAccount(present(order, `the order of pull ${id}`).accountId, 'available');
  const { currency } = authorization;
  const due = (cost.units * mostPullFee(authorization) + maxFeeUnits - 1n) / maxFeeUnits;
  const available = await tx.ledger.lockBalance(account, currency);
  const units = due < available ? due : available;
  if (units <= 0n) return [];
  return [
    { account, currency, units: -units },
    { account: FEES_ACCOUNT, currency, units },
  ];
}
