import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';
import type { Transaction } from '../ports/storage.ts';
import { addressInForce } from '../withdrawals/withdrawal-address.ts';
import type { Transfer } from './transfer.ts';

/**
 * Why a payment must not be made now: the chain's payouts are stopped, its account is not active or is frozen, or the
 * withdrawal address in force is another one. `null` when nothing is in the way.
 *
 * What may have changed since the payment was requested is read in the transaction that signs or approves it. The account
 * is locked, so a change of its status, its freeze or its address is committed either before this one, and seen, or after it.
 */
export async function paymentObstacle(tx: Transaction, transfer: Transfer, now: Millis): Promise<string | null> {
  const { accountId, chain, kind, toAddress } = transfer;
  const stop = await tx.transfers.findPayoutStop(chain);
  if (stop !== null) return `Payouts on the chain ${chain} are stopped: ${stop}`;
  if (accountId === null) return null;
  const account = await tx.accounts.lockShared(accountId);
  if (account?.status !== 'active') return `The account is ${account?.status ?? 'unknown'}.`;
  const freeze = await tx.transfers.findFreeze(accountId);
  if (freeze !== null) return `Withdrawals of this account are frozen: ${freeze.reason}`;
  // A Lightning payment goes to an invoice, a refund to the payer.
  if (kind !== 'withdrawal' || chain === LIGHTNING_ASSET.chain) return null;
  const registered = await tx.wallets.lockWithdrawalAddress(accountId, chain);
  // A registered address is changed and never removed, so there is nothing to compare with where there was none.
  return registered === null || addressInForce(registered, now) === toAddress
    ? null
    : `Its receiver ${toAddress} is not the withdrawal address in force any more; reject it, so that it can be requested again.`;
}
