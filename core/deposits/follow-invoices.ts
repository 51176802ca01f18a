import { LIGHTNING_ASSET, present } from '../kernel/index.ts';
import type { Lease, Millis, Transaction } from '../kernel/index.ts';
import type { OrderMove } from '../orders/index.ts';
import type { DueInvoice, LightningDeps } from '../payouts/index.ts';
import type { SettledInvoice } from '../chain/index.ts';
import { checkContinuity, requireSameNode, settlementCursor } from '../payouts/index.ts';
import { settleInvoice } from './settle-invoice.ts';
import type { OwnSettlement } from './settle-invoice.ts';

const CHAIN = LIGHTNING_ASSET.chain;
/** The most settlements booked in one transaction. */
const BATCH = 100;
const DUE_BATCH = 100;
/** Concurrent invoice queries at the node. */
const ASKED_AT_ONCE = 8;
/** How often the node is checked for still having the settlement that it reported last, in milliseconds. */
const CHECK_EVERY_MS = 10_000;

interface Booked {
  readonly owner: OwnSettlement['owner'];
  readonly moves: readonly OrderMove[];
}

/**
 * Follows the node's settlements by its settle index, and queries each invoice of a due order before the order may
 * expire: a payment in time is never late, even when the stream was interrupted.
 */
export class InvoiceFollower {
  readonly #deps: LightningDeps;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: LightningDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `CHAIN_HALTED` when it is not the same node as before; `NODE_FAILED` */
  start(): Promise<void> {
    return requireSameNode(this.#deps);
  }

  /**
   * Makes one step under a held lease.
   *
   * @returns true when there may be more to do at once
   * @throws TillgateError `LEASE_LOST`, `NODE_FAILED`; any error of the database: retry later
   */
  async step(lease: Lease): Promise<boolean> {
    const { node, storage, clock, latePayments } = this.#deps;
    const lookBegan = clock.now();
    await this.#checkNode(lease, lookBegan);
    const state = present(await storage.chains.state(CHAIN), `state of ${CHAIN}`);
    const { cursor } = state;
    const settlements = await node.settledAfter(settlementCursor(state), BATCH);
    if (settlements.length > 0) await latePayments.prepare([LIGHTNING_ASSET.currency]);
    const last = settlements.at(-1);
    if (last !== undefined) {
      const height = (cursor?.height ?? 0) + settlements.length;
      const next = { height, hash: last.cursor, parentHash: cursor?.hash ?? '', time: last.settledAt };
      if (
        !(await this.#book(lease, settlements, height, (tx) => tx.chains.moveCursor(CHAIN, cursor?.hash ?? null, next)))
      )
        return true;
    }
    await this.#lookAtDue(lease, lookBegan, cursor?.height ?? 0);
    return settlements.length === BATCH;
  }

  /** A node that began again reports nothing above the old cursor, so this is checked at intervals. */
  async #checkNode(lease: Lease, now: Millis): Promise<void> {
    if (now >= this.#checkedAt && now < this.#checkedAt + CHECK_EVERY_MS) return;
    await checkContinuity(this.#deps, lease);
    this.#checkedAt = now;
  }

  /** Queries the invoice of every order that was due when this pass started. */
  async #lookAtDue(lease: Lease, lookBegan: Millis, height: number): Promise<void> {
    const { storage } = this.#deps;
    let after: DueInvoice | null = null;
    for (;;) {
      const due: readonly DueInvoice[] = await storage.lightning.dueInvoices(lookBegan, after, DUE_BATCH);
      const paid: SettledInvoice[] = [];
      for (let at = 0; at < due.length; at += ASKED_AT_ONCE) {
        const views = await Promise.all(
          due.slice(at, at + ASKED_AT_ONCE).map(({ paymentHash }) => this.#deps.node.invoice(paymentHash)),
        );
        for (const view of views) if (view?.state === 'settled' && view.settled !== null) paid.push(view.settled);
      }
      if (paid.length > 0) await this.#book(lease, paid, height, async () => true);
      after = due.at(-1) ?? null;
      if (due.length < DUE_BATCH) break;
    }
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      await tx.chains.setCaughtUp(CHAIN, lookBegan);
    });
  }

  /** Books settlements of orders in the transaction that moves the cursor; false when another instance has moved it. */
  async #book(
    lease: Lease,
    settled: readonly SettledInvoice[],
    height: number,
    claim: (tx: Transaction) => Promise<boolean>,
  ): Promise<boolean> {
    const { storage, stateMachine, events, metrics } = this.#deps;
    const own = await this.#owned(settled);
    const booked = await storage.transaction<readonly Booked[] | null>(async (tx) => {
      await tx.leases.check(lease);
      if (!(await claim(tx))) return null;
      const credited: Booked[] = [];
      for (const each of own) {
        const moves = await settleInvoice(tx, each, height, this.#deps);
        if (moves !== null) credited.push({ owner: each.owner, moves });
      }
      return credited;
    });
    for (const { owner, moves } of booked ?? []) {
      metrics.count('tillgate_deposits_total', { chain: CHAIN, event: 'credited' });
      events.emit('order.payment', { orderId: owner.orderId });
      stateMachine.publish(moves);
    }
    return booked !== null;
  }

  /** Settlements with their orders, in locking order. Invoices of other programs at the same node are ignored. */
  async #owned(settled: readonly SettledInvoice[]): Promise<readonly OwnSettlement[]> {
    const { deposits, orders } = this.#deps.storage;
    const owners = new Map(
      (
        await deposits.owners(
          CHAIN,
          settled.map(({ paymentHash }) => paymentHash),
        )
      ).map((owner) => [owner.key, owner]),
    );
    const own: OwnSettlement[] = [];
    for (const each of settled) {
      const owner = owners.get(each.paymentHash);
      if (owner !== undefined) own.push({ settled: each, owner, history: await orders.history(owner.orderId) });
    }
    return own.sort((a, b) => (a.owner.orderId < b.owner.orderId ? -1 : a.owner.orderId > b.owner.orderId ? 1 : 0));
  }
}
