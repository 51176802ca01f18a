import type {
  ChainStore,
  Clock,
  DepositStore,
  EventBus,
  Logger,
  Millis,
  OrderId,
  OrderStore,
  UnconfirmedPaymentStore,
} from '../../core/index.ts';
import { OtherInstances } from './cross-instance-updates.ts';
import { followingOf, isPastDeadline, takeSnapshot } from './order-snapshot.ts';
import type { OrderSnapshot, SnapshotSources } from './order-snapshot.ts';
import { UnchangedCheck } from './change-detector.ts';

export interface LiveOrdersDeps extends SnapshotSources {
  readonly storage: SnapshotSources['storage'] & {
    readonly orders: Pick<OrderStore, 'changedAt'>;
    readonly deposits: Pick<DepositStore, 'byOrders'>;
    readonly unconfirmedPayments: Pick<UnconfirmedPaymentStore, 'live'>;
    readonly chains: Pick<ChainStore, 'states'>;
  };
  readonly events: EventBus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Called with each change of a watched order that its payer can see. */
export type SnapshotListener = (snapshot: OrderSnapshot) => void;

/** An order whose page is open. */
interface Watched {
  readonly token: string;
  readonly listeners: Set<SnapshotListener>;
  snapshot: OrderSnapshot;
}

/** A snapshot, and when it was last known to be current. */
interface Recent {
  readonly snapshot: OrderSnapshot;
  readonly readAt: Millis;
}

/** A snapshot this recent is not read again: no form is submitted sooner after its page was shown. */
const FRESH_MS = 250;
const RECENT_MOST = 1000;
const READERS = 4;
const TICK_MS = 1000;

/**
 * The orders that payers have open. Each is read once for any number of pages and streams, and read again after a
 * change, which is detected by this process's events, by the chains' heights, and for other instances by a slow poll of
 * all watched orders. One timer serves them all, and runs only while an order is watched.
 */
export class LiveOrders {
  readonly #deps: LiveOrdersDeps;
  readonly #others: OtherInstances;
  readonly #unchanged: UnchangedCheck;
  readonly #watched = new Map<string, Watched>();
  /** Recently read orders, the oldest first. */
  readonly #recent = new Map<string, Recent>();
  /** The tokens of the watched and the recent orders. */
  readonly #tokens = new Map<OrderId, string>();
  readonly #reading = new Map<string, Promise<OrderSnapshot>>();
  /** Tokens of watched orders that may have changed. */
  readonly #stale = new Set<string>();
  readonly #unsubscribe: readonly (() => void)[];
  #readers = 0;
  #timer: NodeJS.Timeout | null = null;
  #ticking = false;

  constructor(deps: LiveOrdersDeps) {
    this.#deps = deps;
    this.#others = new OtherInstances(deps.storage);
    this.#unchanged = new UnchangedCheck(deps.storage);
    const touched = ({ orderId }: { readonly orderId: OrderId }): void => this.#touchOrder(orderId);
    this.#unsubscribe = [
      deps.events.on('order.payment', touched),
      deps.events.on('order.status', touched),
      // The event of a refund names its transfer, not its order, so the few possible orders are checked.
      deps.events.on('transfer.status', () => this.#touchPaid()),
    ];
  }

  /** The order of a page's token, at most {@link FRESH_MS} old. @throws TillgateError `NOT_FOUND` */
  async read(token: string): Promise<OrderSnapshot> {
    const recent = this.#recent.get(token);
    if (recent === undefined) return this.#read(token);
    const now = this.#deps.clock.now();
    if (now - recent.readAt < FRESH_MS) return recent.snapshot;
    const unchanged = isUntouched(recent.snapshot, now) && (await this.#unchanged.ask(recent.snapshot.view.order));
    // It changed meanwhile, so the snapshot is stale.
    if (!unchanged || this.#recent.get(token) !== recent) return this.#read(token);
    this.#recent.delete(token);
    this.#recent.set(token, { snapshot: recent.snapshot, readAt: now });
    return recent.snapshot;
  }

  /**
   * Reads an order and calls the listener with each later change that the payer can see.
   *
   * @returns the present snapshot, and a function that ends the watch
   * @throws TillgateError `NOT_FOUND`
   */
  async watch(token: string, listener: SnapshotListener): Promise<{ readonly snapshot: OrderSnapshot; end(): void }> {
    const snapshot = await this.read(token);
    const watched = this.#watched.get(token) ?? { token, snapshot, listeners: new Set<SnapshotListener>() };
    this.#watched.set(token, watched);
    this.#tokens.set(snapshot.view.order.id, token);
    // Earlier subscribers may have seen another state; this one begins with the snapshot read now.
    tell(watched, snapshot);
    watched.listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
    return { snapshot, end: () => this.#unwatch(watched, listener) };
  }

  /** Marks everything cached about the order of a token as stale. */
  touch(token: string): void {
    this.#recent.delete(token);
    this.#reading.delete(token);
    if (!this.#watched.has(token)) return;
    this.#stale.add(token);
    this.#refresh();
  }

  /** Ends the timer and the subscriptions. */
  close(): void {
    for (const end of this.#unsubscribe) end();
    this.#stopTimer();
    this.#stale.clear();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #read(token: string): Promise<OrderSnapshot> {
    const known = this.#reading.get(token);
    if (known !== undefined) return known;
    const reading = takeSnapshot(this.#deps, token);
    this.#reading.set(token, reading);
    try {
      const snapshot = await reading;
      // It changed meanwhile, perhaps after the read, so the result is not cached.
      return this.#reading.get(token) === reading ? this.#keep(token, snapshot) : snapshot;
    } finally {
      if (this.#reading.get(token) === reading) this.#reading.delete(token);
    }
  }

  /** Returns the same object for the same content, so that pages rendered from it remain valid. */
  #keep(token: string, read: OrderSnapshot): OrderSnapshot {
    const former = this.#recent.get(token)?.snapshot ?? this.#watched.get(token)?.snapshot;
    const snapshot = former?.version === read.version ? former : read;
    this.#recent.delete(token);
    this.#recent.set(token, { snapshot, readAt: read.at });
    this.#tokens.set(snapshot.view.order.id, token);
    if (this.#recent.size > RECENT_MOST) this.#forgetOldest();
    return snapshot;
  }

  #forgetOldest(): void {
    const oldest = this.#recent.entries().next().value;
    if (oldest === undefined) return;
    const [token, { snapshot }] = oldest;
    this.#recent.delete(token);
    if (!this.#watched.has(token)) this.#tokens.delete(snapshot.view.order.id);
  }

  #touchOrder(orderId: OrderId): void {
    const token = this.#tokens.get(orderId);
    if (token !== undefined) this.touch(token);
  }

  #touchPaid(): void {
    for (const { token, snapshot } of [...this.#watched.values(), ...this.#recentlyRead()])
      if (snapshot.view.order.received > 0n) this.touch(token);
  }

  *#recentlyRead(): Iterable<{ readonly token: string; readonly snapshot: OrderSnapshot }> {
    for (const [token, { snapshot }] of this.#recent) yield { token, snapshot };
  }

  #unwatch(watched: Watched, listener: SnapshotListener): void {
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0 || this.#watched.get(watched.token) !== watched) return;
    const { token, snapshot } = watched;
    this.#watched.delete(token);
    this.#stale.delete(token);
    this.#others.forget(snapshot.view.order.id);
    if (!this.#recent.has(token)) this.#tokens.delete(snapshot.view.order.id);
    if (this.#watched.size === 0) this.#stopTimer();
  }

  /** Reads stale orders, few at a time: a block that confirms a thousand payments must not delay everything else. */
  #refresh(): void {
    for (const token of this.#stale) {
      if (this.#readers >= READERS) return;
      this.#stale.delete(token);
      this.#readers += 1;
      void this.#readStale(token).finally(() => {
        this.#readers -= 1;
        this.#refresh();
      });
    }
  }

  async #readStale(token: string): Promise<void> {
    try {
      const snapshot = await this.#read(token);
      const watched = this.#watched.get(token);
      if (watched !== undefined) tell(watched, snapshot);
    } catch (error) {
      this.#deps.logger.warn('an order could not be read for its page; it is read again at the next poll', {
        error,
      });
    }
  }

  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      const moved = this.#others.movedChains(await this.#deps.storage.chains.states());
      const now = this.#deps.clock.now();
      const watched = [...this.#watched.values()];
      for (const { token, snapshot } of watched) if (mayHaveChanged(snapshot, moved, now)) this.touch(token);
      for (const order of await this.#others.changed(watched.map(({ snapshot }) => snapshot.view.order)))
        this.#touchOrder(order.id);
    } catch (error) {
      this.#deps.logger.warn('the watched orders could not be polled', { error });
    } finally {
      this.#ticking = false;
    }
  }
}

function tell(watched: Watched, snapshot: OrderSnapshot): void {
  const changed = watched.snapshot.version !== snapshot.version;
  watched.snapshot = snapshot;
  if (changed) for (const listener of [...watched.listeners]) listener(snapshot);
}

/** True if only a change of the order itself, or a first payment, could change what is shown. */
function isUntouched({ view, refund, at }: OrderSnapshot, now: Millis): boolean {
  return (
    !view.seen &&
    view.order.received === 0n &&
    refund === null &&
    isPastDeadline(view, now) === isPastDeadline(view, at)
  );
}

/** A new block adds confirmations, and the passing of the deadline changes "waiting" to "over". */
function mayHaveChanged(snapshot: OrderSnapshot, movedChains: ReadonlySet<string>, now: Millis): boolean {
  const { view, at } = snapshot;
  if (isPastDeadline(view, now) !== isPastDeadline(view, at)) return true;
  return view.seen && followingOf(snapshot, now) !== 'never' && movedChains.has(view.order.payment?.chain ?? '');
}
