import { securityNotice } from '../access/index.ts';
import type { AuditRow, SecurityNotice } from '../access/index.ts';
import type { NoticeDraft } from '../notify/index.ts';
import { securityWords } from './security-words.ts';
import type { AddressedEvents, EventScope, NoticeScope } from './event-scope.ts';

/** The changes by persons that concern the security of an account. */
export function securityNotices(rows: readonly AuditRow[]): readonly SecurityNotice[] {
  return rows.map(securityNotice).filter((notice) => notice !== null);
}

const typeOf = ({ effectiveAt }: SecurityNotice): 'security.changed' | 'security.pending' =>
  effectiveAt === null ? 'security.changed' : 'security.pending';

export async function securityEvents(
  { tx, presenter, at }: EventScope,
  notices: readonly SecurityNotice[],
): Promise<readonly AddressedEvents[]> {
  const found: AddressedEvents[] = [];
  for (const notice of notices) {
    const { id: subjectId, accountId } = notice.row;
    if (accountId === null) continue;
    const data = (): string => presenter.security(notice);
    const endpoints = await tx.webhooks.enabled(accountId);
    found.push({ endpoints, events: [{ type: typeOf(notice), subjectId, at, data }] });
  }
  return found;
}

export async function securityDrafts(
  { find }: NoticeScope,
  notices: readonly SecurityNotice[],
): Promise<readonly NoticeDraft[]> {
  const drafts: NoticeDraft[] = [];
  for (const notice of notices) {
    const { accountId } = notice.row;
    const account = accountId === null ? null : await find(accountId);
    if (account !== null) drafts.push({ type: typeOf(notice), accountId, toAccount: securityWords(notice, account) });
  }
  return drafts;
}
