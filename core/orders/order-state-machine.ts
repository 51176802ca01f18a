import type { Deposit } from '../chain/index.ts';
import type { AssetCatalogue, EventBus, Metrics, Millis, Transaction } from '../kernel/index.ts';
import { TillgateError } from '../kernel/index.ts';
import type { OrderChanges } from './order-store.ts';
import type { Order } from './order.ts';
import { findTransition } from './order-status.ts';
import type { OrderRule, OrderStatus } from './order-status.ts';
import { choiceOfWaiting } from './former-choice.ts';
import { undecidedPayment } from './note-payment.ts';
import { lockedRefunds, NO_REFUNDS } from './order-refunds.ts';
import type { OrderRefunds } from './order-refunds.ts';
import { decideOrder, isHeldOpen, sumReceived } from './settle-order.ts';
import type { Decision, DecisionContext, LateTerms } from './settle-order.ts';

/** A committed change of status, to be published to listeners. */
export interface OrderMove {
  readonly order: Order;
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  readonly rule: OrderRule;
}

export interface OrderStateMachineDeps {
  readonly assets: AssetCatalogue;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly settings: LateTerms;
}

/** The time of a decision, and whether the chain was read past the deadline. */
export type Moment = Pick<DecisionContext, 'now' | 'scannedPastDeadline'>;

/**
 * Changes the status of orders; no other code does. Each move is a compare-and-set on the previous status, and is
 * recorded with its history entry in the same transaction.
 */
export class OrderStateMachine {
  readonly #deps: OrderStateMachineDeps;

  constructor(deps: OrderStateMachineDeps) {
    this.#deps = deps;
  }

  /** The move that the rules require by these facts; nothing is changed. */
  decide(
    order: Order,
    deposits: readonly Deposit[],
    facts: Omit<DecisionContext, 'terms' | 'refunds'> & Partial<Pick<DecisionContext, 'refunds'>>,
  ): Decision | null {
    return decideOrder(order, deposits, { refunds: NO_REFUNDS, ...facts, terms: this.#deps.settings });
  }

  /**
   * Applies the rules to a locked order until no rule requires a transition.
   *
   * @param deposits - all of the order's deposits, in this transaction's view
   * @returns the moves, for {@link publish} after the commit
   */
  async settle(tx: Transaction, order: Order, deposits: readonly Deposit[], moment: Moment): Promise<OrderMove[]> {
    const moves: OrderMove[] = [];
    let current = order;
    const refunds = await refundsOf(tx, order);
    // Only a PENDING order waits for unconfirmed payments.
    const unconfirmed = order.status === 'PENDING' ? await tx.unconfirmedPayments.live(order.id) : [];
    const formerChoice = await choiceOfWaiting(order, deposits, unconfirmed, () => tx.orders.history(order.id));
    for (;;) {
      const decision = this.decide(current, deposits, { ...moment, unconfirmed, formerChoice, refunds });
      if (decision === null) return moves;
      const move = await this.move(tx, current, deposits, decision, { updatedAt: moment.now });
      moves.push(move);
      current = move.order;
    }
  }

  /** Records in a locked order's history a credited payment that did not pay it; the merchant must decide. */
  async noteUndecided(tx: Transaction, order: Order, deposit: Deposit, now: Millis): Promise<void> {
    const refunds = await refundsOf(tx, order);
    const { assets, settings } = this.#deps;
    const note = undecidedPayment(order, deposit, refunds, { assets, graceMs: settings.lateGraceMs, now });
    if (note === null) return;
    await tx.orders.addHistory(note);
    tx.record({ type: 'order.payment-undecided', entry: note });
  }

  /** True while unconfirmed payments, together with those in blocks, could complete a locked order. */
  async isAwaited(tx: Transaction, order: Order, deposits: readonly Deposit[]): Promise<boolean> {
    const unconfirmed = await tx.unconfirmedPayments.live(order.id);
    const formerChoice = await choiceOfWaiting(order, deposits, unconfirmed, () => tx.orders.history(order.id));
    const terms = this.#deps.settings;
    const moment = { now: order.expiresAt, scannedPastDeadline: false };
    return isHeldOpen(order, sumReceived(order, deposits), { ...moment, unconfirmed, formerChoice, terms });
  }

  /**
   * Makes one move of a locked order.
   *
   * @throws TillgateError `STATE_CONFLICT` when the table has no such move from the order's status
   */
  async move(
    tx: Transaction,
    order: Order,
    deposits: readonly Deposit[],
    decision: Decision,
    changes: OrderChanges,
  ): Promise<OrderMove> {
    const transition = findTransition(decision.rule, order.status);
    if (transition === null || !(await tx.orders.move(order.id, order.status, transition.to, changes))) {
      throw new TillgateError(
        'STATE_CONFLICT',
        `The order is ${order.status}; that does not allow "${decision.rule}".`,
      );
    }
    const moved: Order = { ...order, ...changes, status: transition.to };
    await tx.orders.addHistory({
      orderId: order.id,
      at: changes.updatedAt,
      from: order.status,
      to: transition.to,
      rule: decision.rule,
      inputs: decision.inputs,
      rate: null,
    });
    const refunds = await refundsOf(tx, order);
    tx.record({ type: 'order.moved', order: moved, deposits, refunds, transition });
    await movePurchase(tx, order, transition.to);
    return { order: moved, from: order.status, to: transition.to, rule: decision.rule };
  }

  /** Publishes moves whose transaction has committed: events and metrics. */
  publish(moves: readonly OrderMove[]): void {
    const { events, metrics } = this.#deps;
    for (const { order, from, to, rule } of moves) {
      metrics.count('tillgate_orders_total', { status: to });
      events.emit('order.status', { orderId: order.id, from, to, rule });
    }
  }
}

/** The refunds of a locked order; a PENDING order has none. */
async function refundsOf(tx: Transaction, { id, status }: Order): Promise<OrderRefunds> {
  return status === 'PENDING' ? NO_REFUNDS : lockedRefunds(tx, id);
}

/** Credits a purchase of gateway units when its order is paid, and removes it again when the payment is. */
async function movePurchase(
  { prepaid }: Transaction,
  { id, status, credentialId }: Order,
  to: OrderStatus,
): Promise<void> {
  // Orders created with a credential are no purchases of gateway units.
  if (credentialId !== null) return;
  if (isPaid(to)) await prepaid.credit(id);
  else if (isPaid(status)) await prepaid.takeBack(id);
}

const isPaid = (status: OrderStatus): boolean => status === 'SUCCESS' || status === 'RESOLVED';
