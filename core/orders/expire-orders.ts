import { present } from '../kernel/index.ts';
import type { ChainCode, Clock, Logger, Millis, OrderId, Storage, Transaction } from '../kernel/index.ts';
import type { DeadlinePosition } from './order-store.ts';
import { choiceOfWaiting } from './former-choice.ts';
import { groupByOrder } from './group-by-order.ts';
import type { Order } from './order.ts';
import type { OrderMove, OrderStateMachine } from './order-state-machine.ts';

const BATCH = 200;

export interface ExpireOrdersDeps {
  readonly storage: Pick<Storage, 'orders' | 'deposits' | 'unconfirmedPayments' | 'chains' | 'transaction'>;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Ends orders that are due: PENDING ones past their deadline, once their chain was read past it too, and finished ones
 * whose payment a reorganisation removed permanently. An order stays PENDING while payments that were seen in time
 * could complete it (core/decisions/order-times.md). Orders whose refund failed are decided again.
 */
export class ExpireOrders {
  readonly #deps: ExpireOrdersDeps;

  constructor(deps: ExpireOrdersDeps) {
    this.#deps = deps;
  }

  /**
   * Makes one pass; returns the number of changed orders, so that a busy worker calls again at once.
   *
   * @param only - `deadlines` omits reorganised payments and repeated decisions, which are rare and may wait
   */
  async run(only?: 'deadlines'): Promise<number> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const readUpTo = new Map<ChainCode, Millis>();
    for (const { chain, caughtUpAt } of await storage.chains.states())
      if (caughtUpAt !== null) readUpTo.set(chain, caughtUpAt);
    let changed = 0;
    // Read page by page, so that orders which are kept open do not block later ones.
    for (let after: DeadlinePosition | null = null; ;) {
      const due: readonly Order[] = await storage.orders.dueForExpiry(now, readUpTo, BATCH, after);
      for (const id of await this.#expiring(due, readUpTo)) changed += await this.#settle(id, readUpTo);
      const last = due.at(-1);
      if (last === undefined || due.length < BATCH) break;
      after = last;
    }
    if (only === 'deadlines') return changed;
    for (const id of await storage.orders.dueForReversal(now, BATCH)) changed += await this.#settle(id, readUpTo);
    const again = await storage.orders.dueForDecision(BATCH);
    for (const id of again) changed += await this.#settle(id, readUpTo, (tx) => tx.orders.decideAgain(id, null));
    return changed;
  }

  /** The orders that a rule moves, by an unlocked read: an order that is kept open is not locked at each pass. */
  async #expiring(due: readonly Order[], readUpTo: ReadonlyMap<ChainCode, Millis>): Promise<readonly OrderId[]> {
    const { storage, stateMachine, clock } = this.#deps;
    if (due.length === 0) return [];
    const ids = due.map(({ id }) => id);
    const deposits = groupByOrder(await storage.deposits.byOrders(ids));
    const waiting = groupByOrder(await storage.unconfirmedPayments.live(ids));
    const moving: OrderId[] = [];
    for (const order of due) {
      const [own, unconfirmed] = [deposits.get(order.id) ?? [], waiting.get(order.id) ?? []];
      const formerChoice = await choiceOfWaiting(order, own, unconfirmed, () => storage.orders.history(order.id));
      const moment = { now: clock.now(), scannedPastDeadline: isRead(order, readUpTo) };
      if (stateMachine.decide(order, own, { ...moment, unconfirmed, formerChoice }) !== null) moving.push(order.id);
    }
    return moving;
  }

  async #settle(
    id: OrderId,
    readUpTo: ReadonlyMap<ChainCode, Millis>,
    also: (tx: Transaction) => Promise<void> = async () => {},
  ): Promise<number> {
    const { storage, stateMachine, clock, logger } = this.#deps;
    const moves = await storage.transaction(async (tx): Promise<OrderMove[]> => {
      const order = present(await tx.orders.lock(id), `order ${id}`);
      const moment = { now: clock.now(), scannedPastDeadline: isRead(order, readUpTo) };
      await also(tx);
      return stateMachine.settle(tx, order, await tx.deposits.byOrder(id), moment);
    });
    stateMachine.publish(moves);
    for (const { rule, order } of moves) {
      if (rule === 'payment-reorganised-away')
        logger.error('a finished order lost its payment to a reorganisation', { orderId: order.id });
    }
    return moves.length;
  }
}

function isRead({ payment, expiresAt }: Order, readUpTo: ReadonlyMap<ChainCode, Millis>): boolean {
  return payment === null || (readUpTo.get(payment.chain) ?? 0) >= expiresAt;
}
