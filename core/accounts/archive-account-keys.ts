import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Transaction } from '../ports/storage.ts';

/**
 * Disables an archived account's Apps and revokes their keys, in the transaction that archives it and after its change
 * of status. The caller waits for `feed.settled()` after the commit; from then on the change is in force everywhere.
 */
export async function archiveAccountKeys(
  { apps }: Pick<Transaction, 'apps'>,
  accountId: AccountId,
  now: Millis,
): Promise<void> {
  await apps.archiveAll(accountId, now);
}
