import { assert, present } from '../kernel/index.ts';
import { FEES_ACCOUNT, merchantAccount } from '../ledger/index.ts';
import type { Posting } from '../ledger/index.ts';
import type { NetworkCost } from './transfer-entries.ts';
import type { Millis, Transaction } from '../kernel/index.ts';
import { secondsLeft } from '../chain/index.ts';
import type { Authorization } from '../chain/index.ts';
import { isCharge } from './transfer.ts';
import type { Transfer } from './transfer.ts';

/** The maximum fee of sending an authorization, in basis points of its amount. */
const MOST_FEE_BPS = 500n;
const BPS = 10_000n;

/** The maximum network fee, in units of the token; 0 when the amount is too small to justify any. */
export function mostChargeFee({ units }: Pick<Authorization, 'units'>): bigint {
  return (units * MOST_FEE_BPS) / BPS;
}

/** True for a payout whose authorization no block can include any more: sending it would only cost gas. */
export function hasLapsed(transfers: readonly Transfer[], now: Millis): boolean {
  return transfers.some((transfer) => isCharge(transfer) && secondsLeft(transfer.authorization, now) <= 0n);
}

/** True when a transaction costs more than the merchant of a charge may be charged. */
export function exceedsChargeFee(transfers: readonly Transfer[], feeUnits: bigint): boolean {
  return transfers.some((transfer) => isCharge(transfer) && feeUnits > transfer.maxFeeUnits);
}

/**
 * The postings by which the merchant pays the cost of a charge, in the token: at the rate by which its limit was set,
 * so that no rate is needed now, and at most the balance; the till pays the rest. None for every other transfer.
 */
export async function chargeFeePostings(
  tx: Transaction,
  transfer: Transfer,
  cost: NetworkCost,
): Promise<readonly Posting[]> {
  if (!isCharge(transfer)) return [];
  const { id, orderId, maxFeeUnits, authorization } = transfer;
  assert(maxFeeUnits > 0n, `charge ${id} has no bound`);
  const order = await tx.orders.lock(present(orderId, `the order of charge ${id}`));
  const account = merchantAccount(present(order, `the order of charge ${id}`).accountId, 'available');
  const { currency } = authorization;
  const due = (cost.units * mostChargeFee(authorization) + maxFeeUnits - 1n) / maxFeeUnits;
  const available = await tx.ledger.lockBalance(account, currency);
  const units = due < available ? due : available;
  if (units <= 0n) return [];
  return [
    { account, currency, units: -units },
    { account: FEES_ACCOUNT, currency, units },
  ];
}
