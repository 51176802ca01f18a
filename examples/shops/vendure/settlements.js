import { Inject } from '@nestjs/common';
import {
  isGraphQlErrorResult,
  Logger,
  OrderService,
  Payment,
  Refund,
  RequestContextService,
  TransactionalConnection,
} from '@vendure/core';
import { referenceOf } from './handler.js';
import { Till } from './till.js';

const CONTEXT = 'TillgatePlugin';
/** The state of a refund in the shop once it is over at the till. */
const ENDED = /** @type {const} */ ({ CONFIRMED: 'Settled', FAILED: 'Failed' });
const DEFAULT_CHANNEL_CODE = '__default_channel__';

/** Brings the shop's payments and refunds to their state at the till. Each call can be repeated without effect. */
export class Settlements {
  /**
   * @param {Till} till
   * @param {TransactionalConnection} connection
   * @param {RequestContextService} contexts
   * @param {OrderService} orders
   */
  constructor(till, connection, contexts, orders) {
    this.till = till;
    this.connection = connection;
    this.contexts = contexts;
    this.orders = orders;
  }

  /** @param {import('@tillgate/client').VerifiedWebhook} event */
  async handle(event) {
    if (event.type === 'order.succeeded') await this.settle(event.data.id, event.data.merchantReference);
    if (event.type === 'order.refunded' || event.type.startsWith('refund.')) await this.finishRefunds();
  }

  /** The handler asks the till before anything is settled. @param {string} transactionId @param {string | null} reference */
  async settle(transactionId, reference) {
    const payment = await this.connection.rawConnection.getRepository(Payment).findOne({
      where: { transactionId },
      relations: { order: { channels: true } },
    });
    // It belongs to another shop of the same account, or to another provider's payment with the same number.
    if (payment === null || referenceOf(payment) !== reference || payment.state === 'Settled') return;
    const ctx = await this.contextOf(payment);
    const outcome = await this.connection.withTransaction(ctx, (tx) => this.orders.settlePayment(tx, payment.id));
    if (isGraphQlErrorResult(outcome)) await this.note(ctx, payment, outcome);
  }

  /**
   * The order was paid after the shop had cancelled the payment: the money is at the till, and a person must decide.
   *
   * @param {import('@vendure/core').RequestContext} ctx
   * @param {Payment} payment
   * @param {{ message: string }} outcome
   */
  async note(ctx, payment, { message }) {
    Logger.error(`Order ${payment.order.code}: payment ${payment.id} was not settled: ${message}`, CONTEXT);
    if (payment.state === 'Created') return;
    const note = `Order ${payment.transactionId} at the till was paid, but this payment is ${payment.state}: refund it there.`;
    await this.orders.addNoteToOrder(ctx, { id: payment.order.id, note, isPublic: false });
  }

  /** Updates every waiting refund, so that a lost event is made up for by the next one. */
  async finishRefunds() {
    const waiting = await this.connection.rawConnection.getRepository(Refund).find({
      where: { state: 'Pending' },
      relations: { payment: { order: { channels: true } } },
    });
    for (const { id, payment, transactionId } of waiting) {
      if (referenceOf(payment) === '' || transactionId !== payment.transactionId) continue;
      const refund = await this.till.refundOf(transactionId);
      if (refund?.status !== 'CONFIRMED' && refund?.status !== 'FAILED') continue;
      const ctx = await this.contextOf(payment);
      await this.orders.transitionRefundToState(ctx, id, ENDED[refund.status], transactionId);
    }
  }

  /** A context in the channel of the order; every order is in the default channel too. @param {Payment} payment */
  contextOf({ order: { channels } }) {
    const channel = channels.find(({ code }) => code !== DEFAULT_CHANNEL_CODE) ?? channels[0];
    return this.contexts.create({ apiType: 'admin', ...(channel && { channelOrToken: channel.token }) });
  }
}

// The equivalent of TypeScript's decorators.
[Till, TransactionalConnection, RequestContextService, OrderService].forEach((token, index) =>
  Inject(token)(Settlements, undefined, index),
);
