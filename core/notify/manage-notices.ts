import { isId } from '../kernel/index.ts';
import type { AccountId, NoticeId, Storage, Vault } from '../kernel/index.ts';
import type { Notice, NoticePreferences, NoticeStatus } from './notice.ts';
import {
  addAuditRow,
  changesOf,
  checkLimit,
  lockLive,
  readCursor,
  recordNotFound,
  requireAdmin,
  targetAccount,
  writeCursor,
} from '../access/index.ts';
import type { Actor, AuditDeps } from '../access/index.ts';

export interface ManageNoticesDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'notices' | 'transaction'>;
  readonly vault: Pick<Vault, 'lookupHash' | 'lookupHashes'>;
  /** The largest `limit` of a list. */
  readonly pageMax: number;
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
    if (account === null) throw recordNotFound();
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
      if (stored === null) throw recordNotFound();
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
    {
      status = null,
      limit,
      cursor,
    }: {
      readonly status?: NoticeStatus | null | undefined;
      readonly limit: number;
      readonly cursor?: string | undefined;
    },
  ): Promise<{ readonly items: readonly Notice[]; readonly nextCursor: string | null }> {
    requireAdmin(actor);
    const { storage, vault, pageMax } = this.#deps;
    checkLimit(limit, pageMax);
    const list = ['notices', actor.accountId, status];
    const before = cursor === undefined ? null : (readCursor(cursor, list, vault).id as NoticeId);
    const found = await storage.notices.list({ status, before, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last === undefined ? null : writeCursor(last, list, vault) };
  }
}
