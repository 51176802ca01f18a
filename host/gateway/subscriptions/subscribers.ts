import { logMatcher, removedText, unionOf } from '../../../core/index.ts';
import type { LogFilter, LogSubject, SharedKind, WindowBlock } from '../../../core/index.ts';

/** A client's connection, as its subscriptions see it. */
export interface Subscriber {
  /** Sends a notification. @param result - as JSON */
  notify(subscriptionId: string, result: string): void;
  /** What follows cannot be delivered any more: the client has to begin again. */
  lost(): void;
}

/** One subscription of one client. */
export interface Subscription {
  readonly id: string;
  readonly kind: SharedKind;
  readonly subscriber: Subscriber;
  /** The turn of the feed at its begin: it gets the blocks of later turns. */
  readonly since: number;
}

interface LogGroup {
  readonly filter: LogFilter;
  readonly matches: (log: LogSubject) => boolean;
  readonly subscriptions: Set<Subscription>;
}

/** The subscriptions of all clients of a route. Those with equal filters are matched once. */
export class Subscribers {
  readonly #heads = new Set<Subscription>();
  readonly #logs = new Map<string, LogGroup>();
  readonly #pending = new Map<string, Set<Subscription>>();
  #wanted: LogFilter | null = null;

  get isEmpty(): boolean {
    return this.#heads.size === 0 && this.#logs.size === 0 && this.#pending.size === 0;
  }

  /** The number of different filters of logs. */
  get filters(): number {
    return this.#logs.size;
  }

  has({ key }: SharedKind): boolean {
    return this.#logs.has(key) || this.#pending.has(key);
  }

  add(subscription: Subscription): void {
    const { kind } = subscription;
    if (kind.kind === 'newHeads') this.#heads.add(subscription);
    else if (kind.kind === 'newPendingTransactions')
      this.#pending.set(kind.key, (this.#pending.get(kind.key) ?? new Set<Subscription>()).add(subscription));
    else this.#logGroup(kind).subscriptions.add(subscription);
  }

  remove(subscription: Subscription): void {
    const { kind } = subscription;
    this.#heads.delete(subscription);
    const [group, pending] = [this.#logs.get(kind.key), this.#pending.get(kind.key)];
    if (group?.subscriptions.delete(subscription) === true && group.subscriptions.size === 0) {
      this.#logs.delete(kind.key);
      this.#join();
    }
    if (pending?.delete(subscription) === true && pending.size === 0) this.#pending.delete(kind.key);
  }

  /** The kinds of pending transactions that somebody wants. */
  pendingKinds(): readonly SharedKind[] {
    return [...this.#pending.values()].flatMap(([first]) => (first === undefined ? [] : [first.kind]));
  }

  /** Removes the subscriptions to pending transactions of a kind. @returns the clients that had one */
  removeKind({ key }: SharedKind): ReadonlySet<Subscriber> {
    const subscriptions = this.#pending.get(key) ?? new Set<Subscription>();
    this.#pending.delete(key);
    return new Set([...subscriptions].map(({ subscriber }) => subscriber));
  }

  /** Empties the list. @returns the clients that had subscriptions */
  clear(): ReadonlySet<Subscriber> {
    const all = [
      ...this.#heads,
      ...[...this.#logs.values()].flatMap(({ subscriptions }) => [...subscriptions]),
      ...[...this.#pending.values()].flatMap((subscriptions) => [...subscriptions]),
    ];
    this.#heads.clear();
    this.#logs.clear();
    this.#pending.clear();
    this.#join();
    return new Set(all.map(({ subscriber }) => subscriber));
  }

  /** One filter whose logs include those of all; `null` when nobody wants logs. */
  wantedLogs(): LogFilter | null {
    return this.#wanted;
  }

  added({ header, logs, turn }: WindowBlock): void {
    for (const { id, since, subscriber } of [...this.#heads]) if (since < turn) subscriber.notify(id, header.text);
    for (const log of logs) this.#deliver(log, turn, () => log.text);
  }

  /** As go-ethereum does, only logs tell of a block that is gone. The latest log comes first. */
  removed({ logs, turn }: WindowBlock): void {
    for (const log of logs.toReversed()) this.#deliver(log, turn, () => removedText(log));
  }

  /** A transaction that is pending. @param result - as JSON */
  pending(key: string, result: string): void {
    for (const { id, subscriber } of [...(this.#pending.get(key) ?? [])]) subscriber.notify(id, result);
  }

  #deliver(log: LogSubject, turn: number, textOf: () => string): void {
    let text: string | null = null;
    for (const { matches, subscriptions } of [...this.#logs.values()]) {
      if (!matches(log)) continue;
      text ??= textOf();
      // A client that is too slow leaves while it is told.
      for (const { id, since, subscriber } of [...subscriptions]) if (since < turn) subscriber.notify(id, text);
    }
  }

  #logGroup({ key, filter }: SharedKind & { readonly kind: 'logs' }): LogGroup {
    const present = this.#logs.get(key);
    if (present !== undefined) return present;
    const group: LogGroup = { filter, matches: logMatcher(filter), subscriptions: new Set() };
    this.#logs.set(key, group);
    this.#join();
    return group;
  }

  #join(): void {
    this.#wanted = this.#logs.size === 0 ? null : unionOf([...this.#logs.values()].map(({ filter }) => filter));
  }
}
