import { randomUUID } from 'node:crypto';
import { createTillgateClient, isApiError, TillgateApiError, verifyWebhook } from '@tillgate/client';

/**
 * @typedef {object} TillOptions
 * @property {string} baseUrl - the server's address, `https://pay.example.com`
 * @property {import('@tillgate/client').Credentials} credentials - may create and read orders, and refund
 * @property {readonly string[]} webhookSecrets - of the webhook endpoint, `whsec_…`; two during a rotation
 * @property {string} [succeedUrl] - where the payer goes when the order is paid
 * @property {string} [timeoutUrl] - where the payer goes when it was not paid in time
 */

/** The payment that the shop expects. @typedef {{ price: string, currency: string, reference: string }} Claim */

/** The states in which an order is paid: PARTIAL is underpaid, OVERDUE late, REFUNDED paid back. */
const PAID = ['SUCCESS', 'RESOLVED'];

/**
 * The shop's side of a Tillgate server. Only the server's answers count; an event is a reason to retrieve the order.
 */
export class Till {
  /** @param {TillOptions} options */
  constructor({ webhookSecrets, succeedUrl, timeoutUrl, ...server }) {
    this.client = createTillgateClient(server);
    this.secrets = webhookSecrets;
    this.links = { ...(succeedUrl && { succeedUrl }), ...(timeoutUrl && { timeoutUrl }) };
  }

  /**
   * Creates an order with a page where the payer chooses the coin. @param {Omit<Claim, 'reference'> & { name: string,
   * metadata?: Record<string, string> }} input
   */
  async open({ name, price, currency, metadata = {} }) {
    const reference = `${name}-${randomUUID().slice(0, 8)}`;
    const { id: orderId, payUrl } = await this.client.orders.create({
      ...{ price, currency, metadata, merchantReference: reference },
      ...this.links,
    });
    return { orderId, payUrl, reference };
  }

  /**
   * The reason why an order is not the expected payment; `null` when it is.
   *
   * @param {string} orderId
   * @param {Claim} claim
   */
  async whyNotPaid(orderId, { price, currency, reference }) {
    const order = await this.client.orders.get(orderId);
    if (order.merchantReference !== reference) return 'The order at the till is another one.';
    if (order.currency !== currency || decimal(order.price) !== decimal(price))
      return `The order at the till is of ${order.price} ${order.currency}.`;
    return PAID.includes(order.status) ? null : `The order at the till is ${order.status}.`;
  }

  /**
   * Refunds all that is left of an order, once: where nothing is left, the refund that took it is returned again, unless
   * it could not be paid.
   *
   * @param {string} orderId
   */
  async refund(orderId) {
    try {
      return await this.client.refunds.create({ order: orderId });
    } catch (error) {
      const order = error instanceof TillgateApiError ? await this.#find(orderId) : null;
      const former = order?.refundableAmount === '0' ? latestRefund(order) : null;
      if (former === null || former.status === 'FAILED') throw error;
      return former;
    }
  }

  /** The latest refund of an order; `null` when there is none. @param {string} orderId */
  async refundOf(orderId) {
    const order = await this.#find(orderId);
    return order === null ? null : latestRefund(order);
  }

  /** @param {string} orderId */
  async #find(orderId) {
    try {
      return await this.client.orders.get(orderId);
    } catch (error) {
      if (isApiError(error, 'order_not_found')) return null;
      throw error;
    }
  }

  /**
   * @param {import('@tillgate/client').PlainRequest} request @throws CallbackRejectedError when the till did not send it
   */
  verify(request) {
    return verifyWebhook(request, { secrets: this.secrets });
  }
}

/** The latest refund that has not failed, or the latest. @param {import('@tillgate/client').OrderDetail} order */
function latestRefund({ refunds }) {
  return refunds.findLast(({ status }) => status !== 'FAILED') ?? refunds.at(-1) ?? null;
}

/** The canonical text of a number: 12.50 and 12.5 are the same price. @param {string} text */
export function decimal(text) {
  const [whole = '', part = ''] = text.split('.');
  const decimals = part.replace(/0+$/, '');
  return (whole.replace(/^0+(?=\d)/, '') || '0') + (decimals === '' ? '' : `.${decimals}`);
}
