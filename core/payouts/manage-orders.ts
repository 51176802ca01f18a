import type { Callback } from '../notify/index.ts';
import type { Deposit, UnconfirmedPayment } from '../chain/index.ts';
import { eachPage, isId, stateConflict } from '../kernel/index.ts';
import type { AccountId, IdempotencyClaim, OrderId, Storage, Transaction } from '../kernel/index.ts';
import { OrderAdminActions, SHOWN_PAYMENTS } from '../orders/index.ts';
import type {
  CreateOrder,
  ListedOrderView,
  Order,
  OrderByHandInput,
  OrderDetailView,
  OrderFilter,
  OrderHistoryEntry,
  OrderPosition,
  OrderQueries,
  OrderStateMachine,
} from '../orders/index.ts';
import type { RefundInput, RequestRefund } from './request-refund.ts';
import type { WithdrawalQuote } from './request-withdrawal.ts';
import type { Transfer } from './transfer.ts';
import {
  accountNotFound,
  addAuditRow,
  createdWith,
  EXPORT_PART,
  listPage,
  listScope,
  recordNotFound,
  requireAccess,
  targetAccount,
} from '../access/index.ts';
import type { Actor, AuditAction, AuditDeps, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';
import { requestedByHand } from './requested-by-hand.ts';

export interface ManageOrdersDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<
    Storage,
    'accounts' | 'orders' | 'deposits' | 'unconfirmedPayments' | 'callbacks' | 'transfers' | 'transaction'
  >;
  readonly stateMachine: OrderStateMachine;
  readonly createOrder: Pick<CreateOrder, 'byHand' | 'byProgram'>;
  readonly requestRefund: Pick<RequestRefund, 'run' | 'quote'>;
  readonly queries: Pick<OrderQueries, 'detail' | 'history' | 'search' | 'listed'>;
}

/** A request for a list of orders: the account, the filter, and the part of the list. */
export interface ListOrdersInput extends OrderFilter, CursorRequest {
  /** By default the actor's own account; for an admin all accounts. */
  readonly userId?: AccountId | undefined;
}

/** An order with all related records. */
export interface OrderFile {
  readonly listed: ListedOrderView;
  readonly detail: OrderDetailView;
  readonly deposits: readonly Deposit[];
  readonly unconfirmed: readonly UnconfirmedPayment[];
  readonly callbacks: readonly Callback[];
  /** Those that failed too, oldest first; of many the newest {@link SHOWN_PAYMENTS}. */
  readonly refunds: readonly Transfer[];
}

/** Manual decisions of merchants and operators on orders. */
export class ManageOrders {
  readonly #deps: ManageOrdersDeps;

  constructor(deps: ManageOrdersDeps) {
    this.#deps = deps;
  }

  /**
   * Orders, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range, an empty range of time, or a cursor of another
   *   list; `NOT_FOUND` for another account
   */
  async list(
    actor: Actor,
    { userId, limit, cursor, ...filter }: ListOrdersInput,
  ): Promise<CursorPage<ListedOrderView>> {
    const scope = listScope(actor, userId);
    const { status, chain, currency, from, to, q, linkId } = filter;
    const list = ['orders', actor.accountId, scope, status, chain, currency, from, to, q, linkId ?? null];
    return listPage(list, { limit, cursor }, this.#deps, (most, after: OrderPosition | null) =>
      this.#deps.queries.search(scope, filter, { limit: most, after }),
    );
  }

  /**
   * All orders of a list, newest first, each once. Each part is read when it is requested, without an open transaction.
   * An order that is created meanwhile is omitted; one that enters or leaves the filter meanwhile may be included.
   *
   * @throws TillgateError `INVALID_FIELDS` for an empty range of time; `NOT_FOUND` for another account
   */
  async export(
    actor: Actor,
    { userId, ...filter }: Omit<ListOrdersInput, keyof CursorRequest>,
  ): Promise<AsyncIterable<readonly ListedOrderView[]>> {
    const scope = listScope(actor, userId);
    return eachPage((after: OrderPosition | null) =>
      this.#deps.queries.search(scope, filter, { limit: EXPORT_PART, after }),
    );
  }

  /**
   * Creates an order for the actor's own account; for an admin, for any account. One that a person creates has no
   * credential, so its callbacks have the account's callback key, and it is recorded in the audit log.
   *
   * @throws TillgateError `NOT_FOUND` for another account, `STATE_CONFLICT` for one that is not active; as {@link
   *   CreateOrder.inCoin}
   */
  async create(
    actor: Actor,
    { userId, ...input }: OrderByHandInput & { readonly userId?: AccountId | undefined },
    idempotency: IdempotencyClaim | null = null,
  ): Promise<ListedOrderView> {
    const { storage, createOrder, queries } = this.#deps;
    const accountId = targetAccount(actor, userId);
    const { program } = actor;
    // Who calls by a credential was authenticated as an active account.
    if (accountId !== actor.accountId || program === undefined) await this.#requireActive(accountId);
    if (program !== undefined)
      return queries.listed(await createOrder.byProgram({ accountId, ...program }, input, idempotency));
    const principal = { accountId, credentialId: null, via: 'token' } as const;
    const { order, repeated } = await createOrder.byHand(principal, input, idempotency);
    if (!repeated) await storage.transaction(async (tx) => this.#auditCreation(tx, actor, order));
    return queries.listed(order);
  }

  async #requireActive(accountId: AccountId): Promise<void> {
    const account = await this.#deps.storage.accounts.find(accountId);
    if (account === null) throw accountNotFound();
    if (account.status !== 'active') throw stateConflict('The account is not active.');
  }

  #auditCreation(tx: Transaction, actor: Actor, order: Order): void {
    const { accountId, id, vsPrice, vsCurrency, payment, merchantReference } = order;
    const coin = payment?.currency ?? null;
    const changes = createdWith({ vsPrice: vsPrice.toString(), vsCurrency, currency: coin, merchantReference });
    addAuditRow(this.#deps, tx, actor, { action: 'order.create', accountId, subjectId: id, changes });
  }

  /**
   * An order with its transactions, its callbacks and its refunds. @throws TillgateError `NOT_FOUND`, also for one of
   * another account
   */
  async find(actor: Actor, id: OrderId): Promise<OrderFile> {
    const { storage, queries } = this.#deps;
    const order = await this.#own(actor, id);
    // The order is read first, so that the records from which its status follows are included in the later reads.
    const detail = await queries.detail(order.accountId, id);
    const [deposits, unconfirmed, callbacks, refunds] = await Promise.all([
      storage.deposits.byOrder(id),
      storage.unconfirmedPayments.live([id]),
      storage.callbacks.byOrder(id),
      storage.transfers.refundsOf([id]),
    ]);
    return {
      listed: await queries.listed(detail.order),
      detail,
      deposits: deposits.slice(-SHOWN_PAYMENTS),
      unconfirmed: unconfirmed.slice(-SHOWN_PAYMENTS),
      callbacks,
      refunds: refunds.slice(-SHOWN_PAYMENTS),
    };
  }

  /**
   * Refunds what is left of what an order received, or a part of it.
   *
   * @param input - how much, to whom, and a code where one is demanded
   * @throws TillgateError `NOT_FOUND`, also for an order of another account; as {@link RequestRefund.run}
   */
  async refund(
    actor: Actor,
    id: OrderId,
    idempotency: IdempotencyClaim | null = null,
    input: RefundInput = {},
  ): Promise<Transfer> {
    const { accountId } = await this.#own(actor, id, 'orderId');
    const byHand = requestedByHand(this.#deps, actor, 'order.refund', () => id);
    return (await this.#deps.requestRefund.run({ accountId }, id, idempotency, byHand, input)).refund;
  }

  /**
   * What a refund would take, cost and pay.
   *
   * @throws TillgateError `NOT_FOUND`, also for an order of another account; as {@link RequestRefund.quote}
   */
  async quoteRefund(actor: Actor, id: OrderId, input: Omit<RefundInput, 'verifyCode'>): Promise<WithdrawalQuote> {
    const { accountId } = await this.#own(actor, id, 'orderId');
    return this.#deps.requestRefund.quote({ accountId }, id, input);
  }

  /** Cancels an order without a payment. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` */
  terminate(actor: Actor, id: OrderId): Promise<ListedOrderView> {
    return this.#operate(actor, id, 'order.terminate', (actions, by) => actions.terminate(id, by));
  }

  /** Accepts an OVERDUE or PARTIAL order as it is. @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` */
  resolve(actor: Actor, id: OrderId): Promise<ListedOrderView> {
    return this.#operate(actor, id, 'order.resolve', (actions, by) => actions.resolve(id, by));
  }

  /**
   * Removes the refund address that the payer entered, so that another one can be entered.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`
   */
  removeRefundAddress(actor: Actor, id: OrderId): Promise<ListedOrderView> {
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
    action: AuditAction,
    operate: (actions: OrderAdminActions, by: string) => Promise<unknown>,
  ): Promise<ListedOrderView> {
    const { storage, stateMachine, clock, queries } = this.#deps;
    const { accountId } = await this.#own(actor, id);
    const trace = (tx: Transaction): void => addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: id });
    await operate(new OrderAdminActions({ storage, stateMachine, clock, trace }), actor.accountId ?? 'operator');
    return queries.listed(await this.#own(actor, id));
  }

  /** @param field - the field that names the order, where it is not the record of the operation itself */
  async #own(actor: Actor, id: OrderId, field?: string): Promise<Order> {
    const order = isId(id) ? await this.#deps.storage.orders.find(id) : null;
    if (order === null) throw recordNotFound(field);
    requireAccess(actor, order.accountId, field);
    return order;
  }
}
