import { LIGHTNING_ASSET } from '../kernel/index.ts';
import type { AccountId, Millis, Transaction } from '../kernel/index.ts';
import { refundObstacle } from './refund-obstacle.ts';
import { addressInForce } from './withdrawal-address.ts';
import type { Transfer } from './transfer.ts';

/**
 * Why a payment must not be made now: the chain's payouts are stopped, its account is not active or is frozen, or the
 * withdrawal address in force, or the refund address, is another one, or the account does not list the receiver any
 * more, for which its batch was approved. `null` for no obstacle.
 *
 * What may have changed since the request is read in the transaction that signs or approves the payment. The account is
 * locked, so a change of its status, its freeze or its address commits either before this one, and is seen, or after
 * it.
 */
export async function paymentObstacle(tx: Transaction, transfer: Transfer, now: Millis): Promise<string | null> {
  const { accountId, chain, claimId = null, kind, toAddress } = transfer;
  const stop = await tx.transfers.findPayoutStop(chain);
  if (stop !== null) return `Payouts on the chain ${chain} are stopped: ${stop}`;
  if (accountId === null) return null;
  const account = await tx.accounts.lockShared(accountId);
  if (account?.status !== 'active') return `The account is ${account?.status ?? 'unknown'}.`;
  const freeze = await tx.transfers.findFreeze(accountId);
  if (freeze !== null) return `Withdrawals of this account are frozen: ${freeze.reason}`;
  // A claim goes to the address that the payee entered with it.
  if (claimId !== null) return null;
  if (kind === 'refund') return refundObstacle(tx, transfer);
  if (kind === 'payout') return batchObstacle(tx, transfer, accountId, now);
  // A Lightning payment goes to an invoice, not to an address.
  if (kind !== 'withdrawal' || chain === LIGHTNING_ASSET.chain) return null;
  const registered = await tx.wallets.lockWithdrawalAddress(accountId, chain);
  // A registered address can be changed but not removed, so when there is none there is nothing to compare.
  return registered === null || addressInForce(registered, now) === toAddress
    ? null
    : `Its receiver ${toAddress} is not the withdrawal address in force any more; reject it, so that it can be requested again.`;
}

/** Read with the account locked, which adding and removing payees and withdrawal addresses lock too. */
async function batchObstacle(
  tx: Transaction,
  { batchId = null, chain, toAddress }: Transfer,
  accountId: AccountId,
  now: Millis,
): Promise<string | null> {
  if (batchId === null || !(await tx.batches.isListed(batchId))) return null;
  return (await tx.payees.lists(accountId, chain, toAddress, now))
    ? null
    : `Its receiver ${toAddress} is not listed by the account any more, and its batch was approved because it was; reject it, so that it can be requested again.`;
}
