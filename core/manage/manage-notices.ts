import { isId } from '../kernel/ids.ts';
import type { AccountId, NoticeId } from '../kernel/ids.ts';
import type { Notice, NoticePreferences, NoticeStatus } from '../notices/notice.ts';
import type { Storage } from '../ports/storage.ts';
import type { Vault } from '../ports/vault.ts';
import { recordNotFound, requireAdmin, targetAccount } from './actor.ts';
import type { Actor } from './actor.ts';
import { addAuditRow, changesOf } from './audit.ts';
import type { AuditDeps } from './audit.ts';
import { checkLimit, readCursor, writeCursor } from './list-cursor.ts';
import { lockLive } from './lock-live.ts';

export interface ManageNoticesDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'notices' | 'transaction'>;
  readonly vault: Pick<Vault, 'lookupHash' | 'lookupHashes'>;
  /** The largest `limit` of a list. */
  readonly pageMax: number;
}

/** What an account wants to be told of; what is left out stays as it is. */
export type NoticePreferenceChanges = Partial<Omit<NoticePreferences, 'accountId'>>;

/** What persons are told (decisions, section 14). */
export class ManageNotices {
  readonly #deps: ManageNoticesDeps;

  constructor(deps: ManageNoticesDeps) {
    this.#deps = deps;
  }

  /** What an account chose. @throws TillgateError `NOT_FOUND`, the same for another's account */
  async preferences(actor: Actor, wanted: AccountId | undefined): Promise<NoticePreferences> {
    const id = targetAccount(actor, wanted);
    const account = isId(id) ? await this.#deps.storage.notices.account(id) : null;
    if (account === null) throw recordNotFound();
    const { withdrawals, summary } = account;
    return { accountId: id, withdrawals, summary };
  }

  /**
   * Changes what an account is told of. That its held withdrawals are no longer told is told; a summary is nobody's protection.
   *
   * @throws TillgateError `NOT_FOUND`, the same for another's account; `STATE_CONFLICT` for an archived one
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
      await addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: accountId, changes: changed });
      return next;
    });
  }

  /** Newest first. @throws TillgateError `FORBIDDEN`; `INVALID_FIELDS` for a limit out of range, or a cursor of another list */
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
