import type { Millis, Transaction } from '../kernel/index.ts';
import { withMethods } from '../kernel/index.ts';
import { securityNotice } from '../access/index.ts';
import type { SecurityNotice } from '../access/index.ts';
import type { FindNoticeAccount, NoticeDraft } from '../notify/index.ts';
import { securityWords } from './security-words.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { AddressedEvents, SubjectEvents } from './subject-events.ts';

/** Records the rows of the audit log that concern the security of an account. */
export class SecurityNotes implements SubjectEvents {
  readonly #notices: SecurityNotice[] = [];

  watch({ audit }: Transaction): Partial<Transaction> {
    const noted = withMethods(audit, {
      add: async (row) => {
        await audit.add(row);
        const notice = securityNotice(row);
        if (notice !== null) this.#notices.push(notice);
      },
    });
    return { audit: noted };
  }

  async events(tx: Transaction, presenter: EventPresenter, at: Millis): Promise<readonly AddressedEvents[]> {
    const found: AddressedEvents[] = [];
    for (const notice of this.#notices) {
      const { id: subjectId, accountId } = notice.row;
      if (accountId === null) continue;
      const type = notice.effectiveAt === null ? 'security.changed' : 'security.pending';
      const data = (): string => presenter.security(notice);
      const endpoints = await tx.webhooks.enabled(accountId);
      found.push({ endpoints, events: [{ type, subjectId, at, data }] });
    }
    return found;
  }

  async notices(_tx: Transaction, find: FindNoticeAccount): Promise<readonly NoticeDraft[]> {
    const drafts: NoticeDraft[] = [];
    for (const notice of this.#notices) {
      const { accountId } = notice.row;
      const account = accountId === null ? null : await find(accountId);
      if (account === null) continue;
      const type = notice.effectiveAt === null ? 'security.changed' : 'security.pending';
      drafts.push({ type, accountId, toAccount: securityWords(notice, account) });
    }
    return drafts;
  }
}
