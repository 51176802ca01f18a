import { present } from '../kernel/guard.ts';
import type { ChainCode } from '../kernel/asset.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage.ts';
import type { OrderMove, OrderStateMachine } from './order-state-machine.ts';

const BATCH = 200;

export interface ExpireOrdersDeps {
  readonly storage: Pick<Storage, 'orders' | 'chains' | 'transaction'>;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Ends orders whose time is over: PENDING ones past their deadline, once their chain was read past it too, and finished
 * ones whose payment a reorganisation took away for good. A payment that was seen in time and waits to be mined keeps its
 * order PENDING until it is mined or disappears.
 */
export class ExpireOrders {
  readonly #deps: ExpireOrdersDeps;

  constructor(deps: ExpireOrdersDeps) {
    this.#deps = deps;
  }

  /** One pass; returns how many orders changed, so that a busy worker calls again at once. */
  async run(): Promise<number> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const readUpTo = new Map<ChainCode, Millis>();
    for (const { chain, caughtUpAt } of await storage.chains.states())
      if (caughtUpAt !== null) readUpTo.set(chain, caughtUpAt);
    const expired = await storage.orders.dueForExpiry(now, readUpTo, BATCH);
    const reversed = await storage.orders.dueForReversal(now, BATCH);
    let changed = 0;
    for (const { id } of [...expired, ...reversed]) changed += await this.#settle(id, readUpTo);
    return changed;
  }

  async #settle(id: OrderId, readUpTo: ReadonlyMap<ChainCode, Millis>): Promise<number> {
    const { storage, stateMachine, clock, logger } = this.#deps;
    const moves = await storage.transaction(async (tx): Promise<OrderMove[]> => {
      const order = present(await tx.orders.lock(id), `order ${id}`);
      const read = order.payment === null ? order.expiresAt : (readUpTo.get(order.payment.chain) ?? 0);
      const scannedPastDeadline = read >= order.expiresAt;
      const unconfirmedSeenInTime = (await tx.unconfirmedPayments.live(id)).some(
        ({ seenAt }) => seenAt <= order.expiresAt,
      );
      return stateMachine.settle(tx, order, await tx.deposits.byOrder(id), {
        now: clock.now(),
        scannedPastDeadline,
        unconfirmedSeenInTime,
      });
    });
    stateMachine.publish(moves);
    for (const { rule, order } of moves) {
      if (rule === 'payment-reorganised-away')
        logger.error('a finished order lost its payment to a reorganisation', { orderId: order.id });
    }
    return moves.length;
  }
}
