import type { OrderId } from '../kernel/ids.ts';
import { isId } from '../kernel/ids.ts';
import { OrderAdminActions } from '../orders/order-admin-actions.ts';
import type { OrderStateMachine } from '../orders/order-state-machine.ts';
import type { OrderQueries } from '../orders/order-queries.ts';
import type { OrderDetailView } from '../orders/order-view.ts';
import type { Order, OrderHistoryEntry } from '../orders/order.ts';
import type { Storage } from '../ports/storage.ts';
import { recordNotFound, requireAccess } from './actor.ts';
import type { Actor } from './actor.ts';
import type { AuditDeps } from './audit.ts';
import { storageWithAudit } from './audited-writes.ts';

export interface ManageOrdersDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'orders' | 'transaction'>;
  readonly stateMachine: OrderStateMachine;
  readonly queries: Pick<OrderQueries, 'detail' | 'history'>;
}

/** Manual decisions of merchants and operators on orders. */
export class ManageOrders {
  readonly #deps: ManageOrdersDeps;

  constructor(deps: ManageOrdersDeps) {
    this.#deps = deps;
  }

  /** Cancels an order without a payment. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` */
  terminate(actor: Actor, id: OrderId): Promise<OrderDetailView> {
    return this.#operate(actor, id, 'order.terminate', (actions, by) => actions.terminate(id, by));
  }

  /** Accepts an OVERDUE or PARTIAL order as it is. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` */
  resolve(actor: Actor, id: OrderId): Promise<OrderDetailView> {
    return this.#operate(actor, id, 'order.resolve', (actions, by) => actions.resolve(id, by));
  }

  /** Removes the address that the payer left for a refund, for another one to be left. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` */
  removeRefundAddress(actor: Actor, id: OrderId): Promise<OrderDetailView> {
    return this.#operate(actor, id, 'order.remove_refund_address', (actions, by) =>
      actions.removeRefundAddress(id, by),
    );
  }

  /** The changes of an order with rule, inputs and rates, oldest first. @throws TillgateError `NOT_FOUND` */
  async history(
    actor: Actor,
    id: OrderId,
  ): Promise<{ readonly order: Order; readonly entries: readonly OrderHistoryEntry[] }> {
    const found = await this.#deps.queries.history(id);
    if (found === null) throw recordNotFound();
    requireAccess(actor, found.order.accountId);
    return found;
  }

  async #operate(
    actor: Actor,
    id: OrderId,
    action: string,
    operate: (actions: OrderAdminActions, by: string) => Promise<unknown>,
  ): Promise<OrderDetailView> {
    const { storage, stateMachine, clock, queries } = this.#deps;
    const order = isId(id) ? await storage.orders.find(id) : null;
    if (order === null) throw recordNotFound();
    requireAccess(actor, order.accountId);
    const traced = storageWithAudit(storage, this.#deps, actor, {
      action,
      accountId: order.accountId,
      subjectId: id,
    });
    await operate(new OrderAdminActions({ storage: traced, stateMachine, clock }), actor.accountId ?? 'operator');
    return queries.detail(order.accountId, id);
  }
}
