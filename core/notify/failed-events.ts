import { OPERATOR, recordNotFound } from '../access/index.ts';
import { invalidField, isId } from '../kernel/index.ts';
import type { CallbackId, Storage } from '../kernel/index.ts';
import { eventOf } from './handle-events.ts';
import type { HandledEvent } from './handle-events.ts';
import type { ManageCallbacks } from './manage-callbacks.ts';
import { HANDLERS } from './webhook.ts';

/** An event that was given up: its handler failed at every attempt, or its type was forgotten. */
export interface FailedEvent extends HandledEvent {
  readonly attempts: number;
  /** The message of the last failure, without what looks like a secret; `null` where there was none. */
  readonly error: string | null;
}

export interface FailedEventsDeps {
  readonly storage: Pick<Storage, 'callbacks'>;
  readonly callbacks: Pick<ManageCallbacks, 'redeliver'>;
}

const PAGE = 50;
const MAX_PAGE = 500;

/** The events of the till's own handlers that were given up. */
export class FailedEvents {
  readonly #deps: FailedEventsDeps;

  constructor(deps: FailedEventsDeps) {
    this.#deps = deps;
  }

  /**
   * Newest first.
   *
   * @param page - `after`: the last id of the page before; `limit`: 50 by default, 500 at most
   * @throws TillgateError `INVALID_FIELDS` for a page out of range
   */
  async list(page: { readonly limit?: number; readonly after?: CallbackId } = {}): Promise<readonly FailedEvent[]> {
    const { limit = PAGE, after = null } = page;
    const { callbacks } = this.#deps.storage;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
      throw invalidField('limit', `must be a whole number from 1 to ${MAX_PAGE}`);
    if (after !== null && !isId(after)) throw invalidField('after', 'must be the id of an event');
    const dead = await callbacks.list({ accountId: null, status: 'DEAD', endpointId: HANDLERS, before: after, limit });
    return Promise.all(
      dead.map(async (callback) => {
        const last = (await callbacks.attempts(callback.id)).at(-1);
        return { ...eventOf(callback), attempts: callback.attempts, error: last?.error ?? null };
      }),
    );
  }

  /**
   * Makes an event due again and restarts its schedule.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` while it is to be handled anyway
   */
  async retry(id: CallbackId): Promise<void> {
    const found = await this.#deps.storage.callbacks.find(id);
    if (found?.endpointId !== HANDLERS) throw recordNotFound();
    await this.#deps.callbacks.redeliver(OPERATOR, id);
  }
}
