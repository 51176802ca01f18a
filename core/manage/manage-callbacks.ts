import type { Callback, CallbackAttempt, CallbackStatus } from '../callbacks/callback.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId, CallbackId } from '../kernel/ids.ts';
import { checkPage } from '../kernel/page.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { EventBus } from '../ports/events.ts';
import type { Storage } from '../ports/storage.ts';
import { listScope, recordNotFound, requireAccess } from './actor.ts';
import type { Actor } from './actor.ts';
import { addAuditRow } from './audit.ts';
import type { AuditDeps } from './audit.ts';

/** A callback with its attempts. */
export interface CallbackDetail {
  readonly callback: Callback;
  readonly attempts: readonly CallbackAttempt[];
}

export interface ManageCallbacksDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'callbacks' | 'transaction'>;
  readonly events: EventBus;
  readonly pageMax: number;
}

/** Callbacks, for merchants and operators (decisions, section 7). */
export class ManageCallbacks {
  readonly #deps: ManageCallbacksDeps;

  constructor(deps: ManageCallbacksDeps) {
    this.#deps = deps;
  }

  /** Newest first. @throws TillgateError `INVALID_FIELDS` for a page out of range, `NOT_FOUND` for another's account */
  async list(
    actor: Actor,
    filter: { readonly accountId?: AccountId; readonly status?: CallbackStatus },
    page: PageRequest,
  ): Promise<Page<Callback>> {
    checkPage(page, this.#deps.pageMax);
    return this.#deps.storage.callbacks.list(listScope(actor, filter.accountId), filter.status ?? null, page);
  }

  /** @throws TillgateError `NOT_FOUND`, the same for another account's */
  async find(actor: Actor, id: CallbackId): Promise<CallbackDetail> {
    const { callbacks } = this.#deps.storage;
    const callback = await callbacks.find(id);
    if (callback === null) throw recordNotFound();
    requireAccess(actor, callback.accountId);
    return { callback, attempts: await callbacks.attempts(id) };
  }

  /** Sends a delivered or dead callback again and restarts its schedule. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` while it is pending */
  async redeliver(actor: Actor, id: CallbackId): Promise<CallbackDetail> {
    const { storage, clock, events } = this.#deps;
    const { callback } = await this.find(actor, id);
    const { accountId } = callback;
    await storage.transaction(async (tx) => {
      if (!(await tx.callbacks.replay(id, clock.now()))) {
        throw new TillgateError('STATE_CONFLICT', 'The callback is already pending.');
      }
      const changes = { status: { from: callback.status, to: 'PENDING' } };
      await addAuditRow(this.#deps, tx, actor, { action: 'callback.redeliver', accountId, subjectId: id, changes });
    });
    events.emit('callback.queued', { accountId });
    return this.find(actor, id);
  }
}
