import { randomUUID } from 'node:crypto';
import { TillgateApiError, TillgateClient, verifyWebhook } from 'tillgate/client';

/**
 * @typedef {object} TillOptions
 * @property {string} baseUrl - the server's address, `https://pay.example.com`
 * @property {import('tillgate/client').Credentials} credentials - may create and read orders, and refund
 * @property {readonly string[]} webhookSecrets - of the webhook endpoint, `whsec_…`; two during a rotation
 * @property {string} [succeedUrl] - where the payer goes when the order is paid
 * @property {string} [timeoutUrl] - where the payer goes when it was not paid in time
 */

/** The payment that the shop expects. @typedef {{ price: string, currency: string, reference: string }} Claim */

/** The states in which an order is paid: PARTIAL is underpaid, OVERDUE late, REFUNDED paid back. */
const PAID = ['SUCCESS', 'RESOLVED'];
/** The number of newest orders among which the order that was just created is searched. */
const NEWEST = 500;

/**
 * The shop's side of a Tillgate server. Only the server's answers count; an event is a reason to retrieve the order.
 */
export class Till {
  /** @param {TillOptions} options */
  constructor({ webhookSecrets, succeedUrl, timeoutUrl, ...server }) {
    this.client = new TillgateClient(server);
    this.secrets = webhookSecrets;
    this.links = { ...(succeedUrl && { succeed_url: succeedUrl }), ...(timeoutUrl && { timeout_url: timeoutUrl }) };
  }

  /**
   * Creates an order with a page where the payer chooses the coin. @param {Omit<Claim, 'reference'> & { name: string,
   * metadata?: Record<string, string> }} input
   */
  async open({ name, price, currency, metadata = {} }) {
    const reference = `${name}-${randomUUID().slice(0, 8)}`;
    const { pay_url: payUrl } = await this.client.createPayUrl({
      ...{ price, currency, metadata, merchant_reference: reference },
      ...this.links,
    });
    return { orderId: await this.#idOf(reference), payUrl, reference };
  }

  /** The till returns only the URL of the order's page; its id is in the list. @param {string} reference */
  async #idOf(reference) {
    let seen = 0;
    for await (const order of this.client.orders({ size: 50 })) {
      if (order.merchant_reference === reference) return order.order_id;
      if (++seen >= NEWEST) break;
    }
    throw new Error('The till does not list the order that it has just made.');
  }

  /**
   * The reason why an order is not the expected payment; `null` when it is.
   *
   * @param {string} orderId
   * @param {Claim} claim
   */
  async whyNotPaid(orderId, { price, currency, reference }) {
    const order = await this.client.order(orderId);
    if (order.merchant_reference !== reference) return 'The order at the till is another one.';
    if (order.vs_currency !== currency || decimal(order.vs_price) !== decimal(price))
      return `The order at the till is of ${order.vs_price} ${order.vs_currency}.`;
    return PAID.includes(order.status) ? null : `The order at the till is ${order.status}.`;
  }

  /**
   * Refunds an order once: an existing refund is returned again, unless it could not be paid.
   *
   * @param {string} orderId
   */
  async refund(orderId) {
    try {
      return await this.client.refund(orderId);
    } catch (error) {
      const former = error instanceof TillgateApiError ? await this.refundOf(orderId) : null;
      if (former === null || former.refund_status === 'TERMINATED') throw error;
      return former;
    }
  }

  /** @param {string} orderId */
  async refundOf(orderId) {
    try {
      return await this.client.refundInfo(orderId);
    } catch (error) {
      if (error instanceof TillgateApiError && error.kind === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /**
   * @param {import('tillgate/client').PlainRequest} request @throws CallbackRejectedError when the till did not send it
   */
  verify(request) {
    return verifyWebhook(request, { secrets: this.secrets });
  }
}

/** The canonical text of a number: 12.50 and 12.5 are the same price. @param {string} text */
export function decimal(text) {
  const [whole = '', part = ''] = text.split('.');
  const decimals = part.replace(/0+$/, '');
  return (whole.replace(/^0+(?=\d)/, '') || '0') + (decimals === '' ? '' : `.${decimals}`);
}
