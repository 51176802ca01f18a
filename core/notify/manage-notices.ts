import { isId } from '../kernel/index.ts';
import type { AccountId, NewestQuery, NoticeId, Storage } from '../kernel/index.ts';
import type { Notice, NoticePreferences, NoticeStatus } from './notice.ts';
import {
  accountNotFound,
  addAuditRow,
  changesOf,
  lockLive,
  newestPage,
  requireAdmin,
  targetAccount,
} from '../access/index.ts';
import type { Actor, AuditDeps, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';

export interface ManageNoticesDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'notices' | 'transaction'>;
}

/** Changes of an account's notice preferences; absent fields stay unchanged. */
export type NoticePreferenceChanges = Partial<Omit<NoticePreferences, 'accountId'>>;

/** Notices to persons, and their preferences. */
export class ManageNotices {
  readonly #deps: ManageNoticesDeps;

  constructor(deps: ManageNoticesDeps) {
    this.#deps = deps;
  }

  /** The preferences of an account. @throws TillgateError `NOT_FOUND`, also for another account */
  async preferences(actor: Actor, wanted: AccountId | undefined): Promise<NoticePreferences> {
    const id = targetAccount(actor, wanted);
    const account = isId(id) ? await this.#deps.storage.notices.account(id) : null;
    if (account === null) throw accountNotFound();
    const { withdrawals, summary } = account;
    return { accountId: id, withdrawals, summary };
  }

  /**
   * Changes the preferences of an account. Switching off notices of held withdrawals is itself reported, because they
   * are a protection; the summary is none.
   *
   * @throws TillgateError `NOT_FOUND`, also for another account; `STATE_CONFLICT` for an archived one
   */
  async choose(
    actor: Actor,
    wanted: AccountId | undefined,
    changes: NoticePreferenceChanges,
  ): Promise<NoticePreferences> {
    const accountId = targetAccount(actor, wanted);
    return this.#deps.storage.transaction(async (tx) => {
      await lockLive(tx, accountId);
      const stored = await tx.notices.account(accountId);
      if (stored === null) throw accountNotFound();
      const former = { accountId, withdrawals: stored.withdrawals, summary: stored.summary };
      const next = {
        accountId,
        withdrawals: changes.withdrawals ?? former.withdrawals,
        summary: changes.summary ?? former.summary,
      };
      const changed = changesOf(former, next, ['withdrawals', 'summary']);
      if (Object.keys(changed).length === 0) return former;
      await tx.notices.savePreferences(next);
      const action = changed['withdrawals'] === undefined ? 'notifications.summary' : 'notifications.update';
      addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: accountId, changes: changed });
      return next;
    });
  }

  /**
   * Notices, newest first. @throws TillgateError `FORBIDDEN`; `INVALID_FIELDS` for a limit out of range, or a cursor of
   * another list
   */
  async list(
    actor: Actor,
    { status = null, ...page }: CursorRequest & { readonly status?: NoticeStatus | null | undefined },
  ): Promise<CursorPage<Notice>> {
    requireAdmin(actor);
    const { notices } = this.#deps.storage;
    const list = ['notices', actor.accountId, status];
    return newestPage(
      list,
      page,
      this.#deps,
      (query: NewestQuery<NoticeId>) => notices.list({ status, ...query }),
      ({ id }) => id,
    );
  }
}
