import type { Callback, CallbackAttempt, CallbackStatus } from '../callbacks/callback.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId, CallbackId, WebhookId } from '../kernel/ids.ts';
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
  readonly storage: Pick<Storage, 'callbacks' | 'webhooks' | 'transaction'>;
  readonly events: EventBus;
  readonly pageMax: number;
}

/** Which callbacks a list has. */
export interface CallbackFilter {
  readonly accountId?: AccountId;
  readonly status?: CallbackStatus;
  /** Only the events of this webhook endpoint. */
  readonly webhookId?: WebhookId;
}

/** Callbacks of orders and events of webhook endpoints, for merchants and operators (decisions, sections 7 and 14). */
export class ManageCallbacks {
  readonly #deps: ManageCallbacksDeps;

  constructor(deps: ManageCallbacksDeps) {
    this.#deps = deps;
  }

  /** Newest first. @throws TillgateError `INVALID_FIELDS` for a page out of range, `NOT_FOUND` for another's account or endpoint */
  async list(
    actor: Actor,
    { accountId, status, webhookId }: CallbackFilter,
    page: PageRequest,
  ): Promise<Page<Callback>> {
    const { storage, pageMax } = this.#deps;
    checkPage(page, pageMax);
    const scope = listScope(actor, accountId);
    if (webhookId !== undefined) {
      const endpoint = await storage.webhooks.find(webhookId);
      if (endpoint === null) throw recordNotFound();
      requireAccess(actor, endpoint.accountId);
    }
    return storage.callbacks.list(scope, status ?? null, page, webhookId);
  }

  /** @throws TillgateError `NOT_FOUND`, the same for another account's */
  async find(actor: Actor, id: CallbackId): Promise<CallbackDetail> {
    const { callbacks } = this.#deps.storage;
    const callback = await callbacks.find(id);
    if (callback === null) throw recordNotFound();
    requireAccess(actor, callback.accountId);
    return { callback, attempts: await callbacks.attempts(id) };
  }

  /**
   * Sends a delivered or dead callback again and restarts its schedule.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` while it is pending, and for an endpoint that is removed or disabled
   */
  async redeliver(actor: Actor, id: CallbackId): Promise<CallbackDetail> {
    const { storage, clock, events } = this.#deps;
    const { callback } = await this.find(actor, id);
    const { accountId, endpointId } = callback;
    await storage.transaction(async (tx) => {
      if (endpointId !== null && (await tx.webhooks.find(endpointId))?.enabled !== true)
        throw new TillgateError('STATE_CONFLICT', 'The webhook endpoint is removed or disabled.');
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
