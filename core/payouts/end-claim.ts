import { assert, present } from '../kernel/index.ts';
import type { IdGenerator, Millis, Transaction } from '../kernel/index.ts';
import { isOpen } from './pull-payment.ts';
import { setAsideWhatIsThere } from './set-aside.ts';
import type { Transfer } from './transfer.ts';

interface EndContext {
  readonly ids: IdGenerator;
  readonly now: Millis;
}

/**
 * Locks the pull payments of these transfers. Called before a balance is posted, because a claim locks its pull payment
 * first and the balances after it.
 */
export async function lockClaimed(
  tx: Transaction,
  transfers: readonly Pick<Transfer, 'id' | 'claimId'>[],
): Promise<void> {
  const claimed = transfers.filter(({ claimId = null }) => claimId !== null);
  if (claimed.length > 0) await tx.pullPayments.lockPaidBy(claimed.map(({ id }) => id));
}

/**
 * Makes the amount of a failed claim claimable again, in the transaction that fails its transfer and after its entry.
 * As much as the balance covers is set aside again while the pull payment is open; the rest is set aside when it is
 * claimed. Does nothing for other transfers, and for a transfer that is paid.
 */
export async function endClaim(tx: Transaction, transfer: Transfer, { ids, now }: EndContext): Promise<void> {
  const { id, claimId = null, status, accountId, currency, units } = transfer;
  if (claimId === null || status !== 'FAILED') return;
  const claim = present(await tx.pullPayments.findClaim(claimId), `claim ${claimId} of transfer ${id}`);
  const pull = present(await tx.pullPayments.lock(claim.pullPaymentId), `pull payment of claim ${claimId}`);
  assert(accountId !== null, `transfer ${id} of a claim has no account`);
  const claimed = pull.claimed - claim.amount;
  if (!isOpen(pull, now) || pull.currency !== currency) return tx.pullPayments.update(pull.id, { claimed });
  const reference = `claim:${claimId}:again`;
  const again = await setAsideWhatIsThere(tx, { accountId, currency, units, reference }, { ids, now });
  await tx.pullPayments.update(pull.id, { claimed, asideUnits: pull.asideUnits + again });
}
