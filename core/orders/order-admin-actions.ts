import { countsForOrder } from '../chain/index.ts';
import type { Deposit } from '../chain/index.ts';
import { TillgateError } from '../kernel/index.ts';
import type { Clock, OrderId, Storage, Transaction } from '../kernel/index.ts';
import { lockedRefunds } from './order-refunds.ts';
import type { OrderStateMachine } from './order-state-machine.ts';
import type { Order } from './order.ts';
import type { OrderRule } from './order-status.ts';

export interface OrderAdminActionsDeps {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  /** Records each decision for the audit log, in its transaction; none by default. */
  readonly trace?: (tx: Transaction) => void;
}

/** Manual decisions of a merchant or an operator about an order. `actor` is recorded in the order's history. */
export class OrderAdminActions {
  readonly #deps: OrderAdminActionsDeps;

  constructor(deps: OrderAdminActionsDeps) {
    this.#deps = deps;
  }

  /**
   * Cancels an order for which no payment was seen yet. Unconfirmed payments count only if they could complete the
   * order, so that dust cannot keep the merchant from cancelling.
   *
   * @param trace - records this decision instead of {@link OrderAdminActionsDeps.trace}
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`
   */
  terminate(orderId: string, actor: string, trace = this.#deps.trace): Promise<Order> {
    return this.#move(orderId, 'cancelled', actor, (...found) => this.#requireUnpaid(...found), trace);
  }

  /**
   * Accepts an OVERDUE or PARTIAL order as it is, unless a refund of it is in progress. @throws TillgateError
   * `NOT_FOUND`, `STATE_CONFLICT`
   */
  resolve(orderId: string, actor: string): Promise<Order> {
    return this.#move(orderId, 'operator-accepted', actor, requireNoRefund);
  }

  /**
   * Removes the refund address, so that the payer can leave another one. @throws TillgateError `NOT_FOUND`,
   * `STATE_CONFLICT` when there is none
   */
  removeRefundAddress(orderId: string, actor: string): Promise<void> {
    const { storage, clock, trace } = this.#deps;
    return storage.transaction(async (tx) => {
      const { id, status, refundAddress } = await lockOrder(tx, orderId);
      if (refundAddress === null) throw new TillgateError('STATE_CONFLICT', 'The order has no refund address.');
      const at = clock.now();
      await tx.orders.update(id, { refundAddress: null, refundBrowser: null, refundAddressAt: null, updatedAt: at });
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
      trace?.(tx);
    });
  }

  async #move(orderId: string, rule: OrderRule, actor: string, check: Check, trace = this.#deps.trace): Promise<Order> {
    const { storage, stateMachine, clock } = this.#deps;
    const move = await storage.transaction(async (tx) => {
      const order = await lockOrder(tx, orderId);
      const deposits = await tx.deposits.byOrder(order.id);
      await check(tx, order, deposits);
      const inputs = { actor, received: order.received.toString() };
      const moved = await stateMachine.move(tx, order, deposits, { rule, inputs }, { updatedAt: clock.now() });
      trace?.(tx);
      return moved;
    });
    stateMachine.publish([move]);
    return move.order;
  }

  /**
   * @throws TillgateError `STATE_CONFLICT` for an order with a payment in a block, or with one in the mempool that
   *   could complete it
   */
  async #requireUnpaid(tx: Transaction, order: Order, deposits: readonly Deposit[]): Promise<void> {
    const seen = deposits.some(countsForOrder) || (await this.#deps.stateMachine.isAwaited(tx, order, deposits));
    if (seen) throw new TillgateError('STATE_CONFLICT', 'A payment was seen already; this order cannot be cancelled.');
  }
}

/** Checks a locked order before it is moved. */
type Check = (tx: Transaction, order: Order, deposits: readonly Deposit[]) => Promise<void>;

/** @throws TillgateError `STATE_CONFLICT` while a refund of the received amount is in progress */
async function requireNoRefund(tx: Transaction, { id }: Order): Promise<void> {
  if (!(await lockedRefunds(tx, id)).live) return;
  throw new TillgateError(
    'STATE_CONFLICT',
    'A refund of this order is under way or promised; what it received cannot be accepted. Reject or cancel the refund, or archive the pull payment, first.',
  );
}

async function lockOrder(tx: Transaction, id: string): Promise<Order> {
  const order = await tx.orders.lock(id as OrderId);
  if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
  return order;
}
