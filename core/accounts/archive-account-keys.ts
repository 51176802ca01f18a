import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Transaction } from '../ports/storage.ts';

/**
 * Turns an archived account's Apps off and revokes their keys, in the transaction that archives it and after its change
 * of status there. Wait for `feed.settled()` when that has committed: then it holds everywhere (decisions, section 9).
 */
export async function archiveAccountKeys({ apps }: Pick<Transaction, 'apps'>, accountId: AccountId, now: Millis): Promise<void> {
  await apps.archiveAll(accountId, now);
}
