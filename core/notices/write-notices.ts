import type { AccountId, NoticeId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { NoticeAccount } from '../ports/notice-store.ts';
import type { NoticeChannel } from '../ports/notifier.ts';
import type { AmountWords } from './event-words.ts';
import { newNotice } from './notice.ts';
import type { Notice, NoticeDraft, NoticeWords } from './notice.ts';

/** How notices are written. */
export interface NoticeSettings {
  /** The notifiers of the till; none: nothing is written, and nothing is read. */
  channels(): readonly NoticeChannel[];
  readonly amount: AmountWords;
}

/** Looks an account up, as an addressee. */
export type FindNoticeAccount = (id: AccountId) => Promise<NoticeAccount | null>;

/** Looks each account up once. */
export function oncePerAccount(find: FindNoticeAccount): FindNoticeAccount {
  const found = new Map<AccountId, Promise<NoticeAccount | null>>();
  return (id) => {
    const known = found.get(id) ?? find(id);
    found.set(id, known);
    return known;
  };
}

/** The rows for a draft: one for each notifier and addressee. */
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
      // A chat of the operators has no place for merchants' affairs, but who is an admin is theirs.
      if (reaches === 'operators' && type.startsWith('security.') && account.role === 'admin')
        rows.push(row(name, null, toAccount));
    }
    if (toOperators !== undefined && reaches !== 'accounts') rows.push(row(name, null, toOperators));
    return rows;
  });
}

/** Only what concerns no protection can be switched off. */
function isWanted({ type }: NoticeDraft, { withdrawals, summary }: NoticeAccount): boolean {
  if (type === 'withdrawal.held') return withdrawals;
  return type === 'summary.daily' ? summary : true;
}
