import type { Account } from './account.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId, Transaction } from '../kernel/index.ts';
import { accountNotFound } from './actor.ts';

/** The account, locked until the transaction ends. @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` for an archived one */
export async function lockLive(tx: Pick<Transaction, 'accounts'>, id: AccountId): Promise<Account> {
  const account = await tx.accounts.lock(id);
  if (account === null) throw accountNotFound();
  if (account.status === 'archived')
    throw new TillgateError(
      'STATE_CONFLICT',
      'The account is archived: an admin must restore it first, within 30 days.',
    );
  return account;
}
