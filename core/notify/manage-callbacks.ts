import { bodyIsGone } from './callback.ts';
import { formatOf } from './webhook-format.ts';
import type { WebhookFormats } from './webhook-format.ts';
import { HANDLERS } from './webhook.ts';
import type { Callback, CallbackAttempt, CallbackStatus } from './callback.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId, CallbackId, EventBus, NewestQuery, Storage, WebhookId } from '../kernel/index.ts';
import { addAuditRow, listScope, newestPage, recordNotFound, requireAccess } from '../access/index.ts';
import type { Actor, AuditDeps, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';

/** A callback with its attempts. */
export interface CallbackDetail {
  readonly callback: Callback;
  readonly attempts: readonly CallbackAttempt[];
}

export interface ManageCallbacksDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'callbacks' | 'webhooks' | 'transaction'>;
  readonly events: EventBus;
  /** Formats of endpoints besides the till's own; none by default. */
  readonly formats?: WebhookFormats;
}

/** The filter of a list of callbacks. */
export interface CallbackFilter {
  readonly accountId?: AccountId;
  readonly status?: CallbackStatus;
  /** Only the events of this webhook endpoint. */
  readonly webhookId?: WebhookId;
}

/** Callbacks of orders and events of webhook endpoints, for merchants and operators; for these also events of the till's own handlers. */
export class ManageCallbacks {
  readonly #deps: ManageCallbacksDeps;

  constructor(deps: ManageCallbacksDeps) {
    this.#deps = deps;
  }

  /**
   * Callbacks, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range, or a cursor of another list; `NOT_FOUND` for
   *   another account or its endpoint
   */
  async list(
    actor: Actor,
    { accountId, status, webhookId, ...page }: CallbackFilter & CursorRequest,
  ): Promise<CursorPage<Callback>> {
    const { storage } = this.#deps;
    const scope = listScope(actor, accountId);
    if (webhookId !== undefined) {
      const endpoint = await storage.webhooks.find(webhookId);
      if (endpoint === null) throw recordNotFound('webhookId');
      requireAccess(actor, endpoint.accountId, 'webhookId');
    }
    const list = ['callbacks', actor.accountId, scope, status, webhookId];
    const filter = { accountId: scope, status: status ?? null, endpointId: webhookId ?? null };
    return newestPage(
      list,
      page,
      this.#deps,
      (query: NewestQuery<CallbackId>) => storage.callbacks.list({ ...filter, ...query }),
      ({ id }) => id,
    );
  }

  /** @throws TillgateError `NOT_FOUND`, also for a callback of another account */
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
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` while it is pending, for an endpoint that is removed or
   *   disabled, and when the body is no longer kept
   */
  async redeliver(actor: Actor, id: CallbackId): Promise<CallbackDetail> {
    const { storage, clock, events } = this.#deps;
    const { callback } = await this.find(actor, id);
    const { accountId, endpointId } = callback;
    if (bodyIsGone(callback))
      throw new TillgateError(
        'STATE_CONFLICT',
        'The callback was delivered so long ago that its body is no longer kept; read the order instead.',
      );
    await storage.transaction(async (tx) => {
      const isEndpoints = endpointId !== null && endpointId !== HANDLERS;
      if (isEndpoints && (await tx.webhooks.find(endpointId))?.enabled !== true)
        throw new TillgateError('STATE_CONFLICT', 'The webhook endpoint is removed or disabled.');
      if (!(await tx.callbacks.replay(id, clock.now()))) {
        throw new TillgateError('STATE_CONFLICT', 'The callback is already pending.');
      }
      const changes = { status: { from: callback.status, to: 'PENDING' } };
      addAuditRow(this.#deps, tx, actor, { action: 'callback.redeliver', accountId, subjectId: id, changes });
    });
    events.emit('callback.queued', { accountId });
    return this.find(actor, id);
  }

  /**
   * Sends an event of an endpoint of another format again, as a delivery of its own that names the first one.
   *
   * @returns the id of the new delivery
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` for an endpoint that is removed, disabled or of the till's own
   *   format, and when the body is no longer kept
   */
  async sendAgain(actor: Actor, id: CallbackId): Promise<CallbackId> {
    const { storage, clock, events, ids, formats = [] } = this.#deps;
    const { callback } = await this.find(actor, id);
    const { accountId, endpointId, body } = callback;
    if (body === null) throw new TillgateError('STATE_CONFLICT', 'The body of the delivery is no longer kept.');
    const deliveryId = ids.next() as CallbackId;
    await storage.transaction(async (tx) => {
      const endpoint = endpointId === null ? null : await tx.webhooks.find(endpointId);
      if (endpoint?.enabled !== true)
        throw new TillgateError('STATE_CONFLICT', 'The webhook endpoint is removed or disabled.');
      const format = formatOf(endpoint.format, formats);
      if (format === null) throw new TillgateError('STATE_CONFLICT', 'The endpoint has the till’s own format.');
      const at = clock.now();
      const place = { deliveryId, webhookId: endpoint.id, at };
      await tx.callbacks.add({
        ...{ ...callback, id: deliveryId, url: endpoint.url, body: format.again(body, place) },
        ...{ status: 'PENDING', attempts: 0, nextAt: at, createdAt: at, deliveredAt: null },
      });
      const changes = { delivery: { from: id, to: deliveryId } };
      addAuditRow(this.#deps, tx, actor, { action: 'callback.redeliver', accountId, subjectId: id, changes });
    });
    events.emit('callback.queued', { accountId });
    return deliveryId;
  }
}
