import { present } from '../kernel/index.ts';
import type {
  BlockRef,
  Clock,
  EventBus,
  Lease,
  Metrics,
  Millis,
  OrderId,
  Storage,
  Transaction,
} from '../kernel/index.ts';
import type { LatePayments } from '../orders/index.ts';
import type {
  ChainAdapter,
  Deposit,
  PendingTransfer,
  PendingTransfers,
  UnconfirmedPayment,
  UnconfirmedPaymentEvent,
  WatchedAddress,
  WatchList,
} from '../chain/index.ts';
import { compareUnconfirmedPayments, placeOf, UNCONFIRMED_PAYMENT_TRANSITIONS } from '../chain/index.ts';

export interface WatchMempoolDeps {
  readonly storage: Pick<Storage, 'unconfirmedPayments' | 'deposits' | 'transaction'>;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly latePayments: LatePayments;
}

/** How long GONE payments are kept, in milliseconds: a transaction that returns keeps its first-seen time. */
const KEEP_GONE_MS = 48 * 3_600_000;
/** How long the address of an unconfirmed payment stays watched at least, and when this is extended, in ms. */
const WATCH_ON_MS = 24 * 3_600_000;
const WATCH_EVERY_MS = 600_000;
const ORDERS_AT_ONCE = 200;
const NOTHING: PendingTransfers = { transfers: [], complete: true };

interface OrderChanges {
  readonly added: PendingTransfer[];
  readonly moved: { readonly unconfirmed: UnconfirmedPayment; readonly event: UnconfirmedPaymentEvent }[];
  /** True when the address would cease to be watched while a payment to it is unconfirmed. */
  readonly watchOn: boolean;
}

/**
 * Follows the mempool, under the lease of the chain's follower and only at the head. It records when payments were
 * first seen and which have disappeared. It credits nothing, because an unconfirmed payment may still be replaced.
 */
export class MempoolWatcher {
  readonly #chain: ChainAdapter;
  readonly #deps: WatchMempoolDeps;
  /** When the last complete read started; a payment that it did not contain came later. */
  #lookedAt: Millis | null = null;
  #watchedAt: Millis = -Infinity;
  #idle = false;

  constructor(chain: ChainAdapter, deps: WatchMempoolDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /**
   * Reads the mempool once and stores the differences.
   *
   * @param cursor - the last block that was read, which is the chain's head
   * @param watch - returns the addresses that are watched at the time of the call
   * @returns true when the whole mempool was read
   * @throws TillgateError `LEASE_LOST`; any error of the node or the database: retry later
   */
  async look(lease: Lease, cursor: BlockRef, watch: () => Promise<WatchList>): Promise<boolean> {
    if (this.#idle) return true;
    const { storage, clock } = this.#deps;
    const { mempool, code } = this.#chain;
    const began = clock.now();
    const found = mempool === undefined ? NOTHING : await mempool.pending(watch);
    const stored = await storage.unconfirmedPayments.ofChain(code);
    const compared = compareUnconfirmedPayments(stored, found.transfers, clock.now());
    const missing =
      found.complete && compared.missing.length > 0 && (await this.#isHead(cursor)) ? compared.missing : [];
    await this.#store(lease, { added: compared.added, moved: [...compared.returned, ...missing] }, stored, began);
    // True for a chain without a mempool and without payments from a plugin version that had one.
    this.#idle = mempool === undefined && stored.length === 0;
    if (found.complete) this.#lookedAt = began;
    return found.complete;
  }

  /** A mined transaction leaves the mempool before its block is read, so only without unread blocks is it gone. */
  async #isHead({ hash }: BlockRef): Promise<boolean> {
    return (await this.#chain.head()).hash === hash;
  }

  async #store(
    lease: Lease,
    found: Pick<OrderChanges, 'added' | 'moved'>,
    stored: readonly UnconfirmedPayment[],
    began: Millis,
  ): Promise<void> {
    const { storage, clock, events, metrics } = this.#deps;
    const { code } = this.#chain;
    const now = clock.now();
    await this.#deps.latePayments.prepare(found.added.map(({ currency }) => currency));
    const orders = [...(await this.#byOrder(found, stored, now))].sort(([a], [b]) => (a < b ? -1 : 1));
    const forgetting = stored.some(({ status, since }) => status === 'GONE' && since < now - KEEP_GONE_MS);
    for (let at = 0; at < orders.length || (at === 0 && forgetting); at += ORDERS_AT_ONCE) {
      const part = orders.slice(at, at + ORDERS_AT_ONCE);
      const counts = await storage.transaction(async (tx) => {
        await tx.leases.check(lease);
        const changed = new Map<OrderId, readonly string[]>();
        for (const [orderId, changes] of part)
          changed.set(orderId, await this.#storeOrder(tx, orderId, changes, { now, began }));
        await tx.unconfirmedPayments.forget(code, now - KEEP_GONE_MS);
        return changed;
      });
      for (const [orderId, changed] of counts) {
        for (const event of changed) metrics.count('tillgate_unconfirmed_payments_total', { chain: code, event });
        if (changed.length > 0) events.emit('order.payment', { orderId });
      }
    }
  }

  async #byOrder(
    { added, moved }: Pick<OrderChanges, 'added' | 'moved'>,
    stored: readonly UnconfirmedPayment[],
    now: Millis,
  ): Promise<Map<OrderId, OrderChanges>> {
    const due = now - this.#watchedAt >= WATCH_EVERY_MS;
    const waiting = due ? stored.filter(({ status }) => status === 'WAITING').map(({ key }) => key) : [];
    const keys = [...new Set([...waiting, ...added.map(({ toKey }) => toKey)])];
    const owners = keys.length === 0 ? [] : await this.#deps.storage.deposits.owners(this.#chain.code, keys);
    const orders = new Map<OrderId, OrderChanges>();
    const of = (orderId: OrderId, watchOn = false): OrderChanges => {
      const changes = orders.get(orderId) ?? { added: [], moved: [], watchOn };
      orders.set(orderId, changes);
      return changes;
    };
    for (const { orderId, watchUntil } of owners) if (watchUntil < now + WATCH_ON_MS) of(orderId, true);
    const byKey = new Map<string, WatchedAddress>(owners.map((owner) => [owner.key, owner]));
    for (const transfer of added)
      of(present(byKey.get(transfer.toKey), `owner of a watched address on ${this.#chain.code}`).orderId).added.push(
        transfer,
      );
    for (const each of moved) of(each.unconfirmed.orderId).moved.push(each);
    if (due) this.#watchedAt = now;
    return orders;
  }

  /** @returns the events, for the metric */
  async #storeOrder(
    tx: Transaction,
    orderId: OrderId,
    { added, moved, watchOn }: OrderChanges,
    { now, began }: { now: Millis; began: Millis },
  ): Promise<readonly string[]> {
    const { code } = this.#chain;
    const changed: string[] = [];
    // Excludes concurrent changes of the order: either they see this payment, or this sees their change.
    const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
    const txids = added.map(({ txid }) => txid);
    const known = txids.length === 0 ? [] : await tx.deposits.lockByTransactions(code, txids);
    for (const transfer of added) {
      const same = known.filter((deposit) => placeOf(deposit) === placeOf(transfer));
      // A lagging node still shows a transaction whose block was already read.
      if (same.some(({ status }) => status !== 'ORPHANED')) continue;
      const seenAt = Math.min(...same.map(({ paidAt }) => paidAt), this.#firstSeen(transfer, began), now);
      const { txid, index, toKey: key, currency, units } = transfer;
      if (
        await tx.unconfirmedPayments.add({
          chain: code,
          txid,
          index,
          orderId,
          key,
          currency,
          units,
          seenAt,
          status: 'WAITING',
          since: now,
          rate: rateOfSame(same, orderId, currency) ?? this.#deps.latePayments.rateOf(order, currency, seenAt),
        })
      )
        changed.push('seen');
    }
    for (const { unconfirmed, event } of moved) {
      if (
        await tx.unconfirmedPayments.move(
          unconfirmed,
          unconfirmed.status,
          UNCONFIRMED_PAYMENT_TRANSITIONS[event].to,
          now,
        )
      )
        changed.push(EVENT_NAMES[event]);
    }
    if (watchOn) await tx.orders.extendWatch(orderId, code, now + 2 * WATCH_ON_MS);
    return changed;
  }

  /** The node's time, which also covers downtime of the till, but never earlier than a complete read without it. */
  #firstSeen({ seenAt }: PendingTransfer, began: Millis): Millis {
    return seenAt === null ? began : Math.max(seenAt, this.#lookedAt ?? seenAt);
  }
}

/** The rate when the same payment was first seen, before a reorganisation removed it. */
function rateOfSame(same: readonly Deposit[], orderId: OrderId, currency: string): Deposit['rate'] {
  return same.find((deposit) => deposit.orderId === orderId && deposit.currency === currency)?.rate ?? null;
}

const EVENT_NAMES: Readonly<Record<UnconfirmedPaymentEvent, string>> = {
  miss: 'missing',
  lose: 'gone',
  return: 'returned',
};
