import { HANDLERS } from '../../../core/index.ts';
import type {
  Callback,
  CallbackAttempt,
  CallbackId,
  CallbackOutcomeChanges,
  CallbackSearch,
  CallbackStore,
  ClaimedCallback,
  Millis,
  OrderId,
  WebhookEvent,
} from '../../../core/index.ts';

interface Row {
  callback: Callback;
  fence: number;
  leasedUntil: Millis;
}

/** The outbox in memory, as the port describes it. `broken` makes `finish` fail. */
export class MemoryCallbacks implements CallbackStore {
  readonly rows = new Map<CallbackId, Row>();
  readonly made: CallbackAttempt[] = [];
  broken: Error | null = null;
  claims = 0;

  add(callback: Callback): void {
    this.rows.set(callback.id, { callback, fence: 0, leasedUntil: 0 });
  }

  get(id: CallbackId): Callback {
    return this.rows.get(id)!.callback;
  }

  async find(id: CallbackId): Promise<Callback | null> {
    return this.rows.get(id)?.callback ?? null;
  }

  async byOrder(orderId: OrderId): Promise<readonly Callback[]> {
    return this.#all().filter((callback) => callback.orderId === orderId);
  }

  async list({ status }: CallbackSearch): Promise<readonly Callback[]> {
    return this.#all().filter((callback) => status === null || callback.status === status);
  }

  async attempts(id: CallbackId): Promise<readonly CallbackAttempt[]> {
    return this.made.filter(({ callbackId }) => callbackId === id);
  }

  claimDue(now: Millis, leaseMs: number, limit: number): Promise<readonly ClaimedCallback[]> {
    const mine = (callback: Callback): boolean => callback.endpointId !== HANDLERS && !this.#hasEarlier(callback);
    return this.#claim(mine, now, leaseMs, limit);
  }

  claimHandled(
    types: readonly WebhookEvent[],
    now: Millis,
    leaseMs: number,
    limit: number,
  ): Promise<readonly ClaimedCallback[]> {
    const handled = this.#all().filter(({ endpointId, event }) => endpointId === HANDLERS && types.includes(event));
    const isFirst = ({ subjectId, createdAt }: Callback): boolean =>
      !handled.some((e) => e.subjectId === subjectId && e.status === 'PENDING' && e.createdAt < createdAt);
    return this.#claim((callback) => handled.includes(callback) && isFirst(callback), now, leaseMs, limit);
  }

  async #claim(
    which: (callback: Callback) => boolean,
    now: Millis,
    leaseMs: number,
    limit: number,
  ): Promise<readonly ClaimedCallback[]> {
    this.claims += 1;
    const due = [...this.rows.values()].filter(
      ({ callback, leasedUntil }) =>
        callback.status === 'PENDING' && callback.nextAt <= now && leasedUntil <= now && which(callback),
    );
    due.sort((a, b) => a.callback.nextAt - b.callback.nextAt);
    return due.slice(0, limit).map((row) => {
      row.fence += 1;
      row.leasedUntil = now + leaseMs;
      return { callback: row.callback, fence: row.fence };
    });
  }

  async finish(claim: ClaimedCallback, changes: CallbackOutcomeChanges, attempt: CallbackAttempt): Promise<boolean> {
    if (this.broken !== null) throw this.broken;
    this.made.push(attempt);
    const row = this.rows.get(claim.callback.id)!;
    if (row.fence !== claim.fence) return false;
    row.callback = { ...row.callback, ...changes };
    row.leasedUntil = 0;
    return true;
  }

  async replay(id: CallbackId, now: Millis): Promise<boolean> {
    const row = this.rows.get(id);
    if (row === undefined || row.callback.status === 'PENDING') return false;
    row.callback = { ...row.callback, status: 'PENDING', nextAt: now };
    return true;
  }

  async giveUpHandled(type: WebhookEvent, limit: number): Promise<number> {
    const waiting = [...this.rows.values()].filter(
      ({ callback: { endpointId, event, status } }) =>
        endpointId === HANDLERS && event === type && status === 'PENDING',
    );
    const given = waiting.slice(0, limit);
    for (const row of given) row.callback = { ...row.callback, status: 'DEAD' };
    return given.length;
  }

  async dropBodies(before: Millis, limit: number): Promise<number> {
    const old = [...this.rows.values()].filter(
      ({ callback: { status, body, deliveredAt } }) => status === 'DELIVERED' && body !== null && deliveredAt! < before,
    );
    for (const row of old.slice(0, limit)) row.callback = { ...row.callback, body: null };
    return Math.min(old.length, limit);
  }

  async nextDueAt(): Promise<Millis | null> {
    const times = this.#all().flatMap(({ status, nextAt }) => (status === 'PENDING' ? [nextAt] : []));
    return times.length === 0 ? null : Math.min(...times);
  }

  #all(): Callback[] {
    return [...this.rows.values()].map(({ callback }) => callback);
  }

  #hasEarlier(callback: Callback): boolean {
    return this.#all().some(
      (other) =>
        other.orderId === callback.orderId && other.status === 'PENDING' && other.createdAt < callback.createdAt,
    );
  }
}
