import type { AccountId, IdGenerator, Millis, NoticeId } from '../kernel/index.ts';
import type { NoticeAccount } from './notice-store.ts';
import type { NoticeChannel } from './notifier.ts';
import type { AmountWords } from './notice.ts';
import { newNotice } from './notice.ts';
import type { Notice, NoticeDraft, NoticeWords } from './notice.ts';

/** The settings for writing notices. */
export interface NoticeSettings {
  /** The notifiers of the till. Without any, nothing is read or written. */
  channels(): readonly NoticeChannel[];
  readonly amount: AmountWords;
}

/** Reads an account as a receiver. */
export type FindNoticeAccount = (id: AccountId) => Promise<NoticeAccount | null>;

/** Caches the look-ups of accounts. */
export function oncePerAccount(find: FindNoticeAccount): FindNoticeAccount {
  const found = new Map<AccountId, Promise<NoticeAccount | null>>();
  return (id) => {
    const known = found.get(id) ?? find(id);
    found.set(id, known);
    return known;
  };
}

/** The rows of a draft: one for each notifier and receiver. */
export async function noticeRows(
  ids: IdGenerator,
  channels: readonly NoticeChannel[],
  draft: NoticeDraft,
  find: FindNoticeAccount,
  at: Millis,
  day: Millis | null = null,
): Promise<readonly Notice[]> {
  const { type, accountId, toAccount, toOperators } = draft;
  const account = toAccount === undefined || accountId === null ? null : await find(accountId);
  const row = (notifier: string, addressee: AccountId | null, words: NoticeWords): Notice =>
    newNotice({ id: ids.next() as NoticeId, notifier, accountId: addressee, type, day }, words, at);
  return channels.flatMap(({ name, reaches }) => {
    const rows: Notice[] = [];
    if (toAccount !== undefined && account !== null) {
      if (reaches !== 'operators' && isWanted(draft, account)) rows.push(row(name, account.accountId, toAccount));
      // Operator chats get no merchant events, except changes to admins.
      if (reaches === 'operators' && type.startsWith('security.') && account.role === 'admin')
        rows.push(row(name, null, toAccount));
    }
    if (toOperators !== undefined && reaches !== 'accounts') rows.push(row(name, null, toOperators));
    return rows;
  });
}

/** Whether the account has chosen the notice. Notices of security cannot be switched off. */
function isWanted({ type }: NoticeDraft, { withdrawals, summary }: NoticeAccount): boolean {
  if (type === 'withdrawal.held' || type === 'claim.requested') return withdrawals;
  return type === 'summary.daily' ? summary : true;
}
