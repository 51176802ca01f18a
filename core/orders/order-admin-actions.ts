import { countsForOrder } from '../deposits/deposit.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { OrderStateMachine } from './order-state-machine.ts';
import type { Order } from './order.ts';
import type { OrderRule } from './order-status.ts';

export interface OrderAdminActionsDeps {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
}

/** What a merchant or an operator decides about an order by hand. `actor` says who, in the order's history. */
export class OrderAdminActions {
  readonly #deps: OrderAdminActionsDeps;

  constructor(deps: OrderAdminActionsDeps) {
    this.#deps = deps;
  }

  /** Cancels an order for which no payment was seen yet, in a block or waiting for one. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` */
  terminate(orderId: string, actor: string): Promise<Order> {
    return this.#move(orderId, 'cancelled', actor, true);
  }

  /** Accepts an OVERDUE or PARTIAL order as it is. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` */
  resolve(orderId: string, actor: string): Promise<Order> {
    return this.#move(orderId, 'operator-accepted', actor, false);
  }

  /** Removes the address that was left for a refund, so that the payer can leave another one. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` when there is none */
  removeRefundAddress(orderId: string, actor: string): Promise<void> {
    const { storage, clock } = this.#deps;
    return storage.transaction(async (tx) => {
      const { id, status, refundAddress } = await lockOrder(tx, orderId);
      if (refundAddress === null) throw new TillgateError('STATE_CONFLICT', 'The order has no refund address.');
      const at = clock.now();
      await tx.orders.update(id, { refundAddress: null, refundBrowser: null, updatedAt: at });
      const inputs = { actor, address: null, former: refundAddress };
      await tx.orders.addHistory({
        orderId: id,
        at,
        from: status,
        to: status,
        rule: 'refund-address',
        inputs,
        rate: null,
      });
    });
  }

  async #move(orderId: string, rule: OrderRule, actor: string, onlyUnpaid: boolean): Promise<Order> {
    const { storage, stateMachine, clock } = this.#deps;
    const move = await storage.transaction(async (tx) => {
      const order = await lockOrder(tx, orderId);
      const deposits = await tx.deposits.byOrder(order.id);
      const unconfirmed = onlyUnpaid && (await tx.unconfirmedPayments.live(order.id)).length > 0;
      if (unconfirmed || (onlyUnpaid && deposits.some(countsForOrder))) {
        throw new TillgateError('STATE_CONFLICT', 'A payment was seen already; this order cannot be cancelled.');
      }
      const inputs = { actor, received: order.received.toString() };
      return stateMachine.move(tx, order, deposits, { rule, inputs }, { updatedAt: clock.now() });
    });
    stateMachine.publish([move]);
    return move.order;
  }
}

async function lockOrder(tx: Transaction, id: string): Promise<Order> {
  const order = await tx.orders.lock(id as OrderId);
  if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
  return order;
}
