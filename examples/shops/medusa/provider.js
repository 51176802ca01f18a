import { AbstractPaymentProvider, BigNumber, MedusaError } from '@medusajs/framework/utils';
import { CallbackRejectedError } from '@tillgate/client';
import { decimal, Till } from './till.js';

/**
 * The data of a payment session: the order at the till and the facts it was created with. This provider writes all of
 * it and overwrites data that the buyer's browser sends.
 *
 * @typedef {{ order_id: string, reference: string, price: string, currency: string, pay_url: string, session_id: string
 *   }} Kept
 */

const NOT_OURS = /** @type {const} */ ({ action: 'not_supported' });

/**
 * A payment session is pending with a link to the till's page, and captured once the till reports the order as paid.
 * Nothing can be authorised without being captured.
 *
 * @extends {AbstractPaymentProvider<import('./till.js').TillOptions>}
 */
export class TillgateProvider extends AbstractPaymentProvider {
  static identifier = 'tillgate';

  /** @param {Record<string, unknown>} options */
  static validateOptions(options) {
    for (const name of ['baseUrl', 'credentials', 'webhookSecrets'])
      if (!options[name])
        throw new MedusaError(MedusaError.Types.INVALID_ARGUMENT, `Tillgate needs the option ${name}.`);
  }

  /** @param {Record<string, unknown>} container @param {import('./till.js').TillOptions} options */
  constructor(container, options) {
    super(container, options);
    this.till = new Till(options);
  }

  /** @param {import('@medusajs/framework/types').InitiatePaymentInput} input @returns {Promise<any>} */
  async initiatePayment({ amount, currency_code, data, context }) {
    const session_id = String(data?.['session_id'] ?? context?.idempotency_key ?? '');
    const price = priceOf(amount);
    const currency = currency_code.toUpperCase();
    const { orderId, payUrl, reference } = await this.till.open({
      name: session_id,
      metadata: { session_id },
      ...{ price, currency },
    });
    return {
      id: orderId,
      status: 'pending',
      data: { order_id: orderId, reference, price, currency, pay_url: payUrl, session_id },
    };
  }

  /**
   * The price of an order at the till cannot be changed, so another price is another order. @param
   * {import('@medusajs/framework/types').UpdatePaymentInput} input @returns {Promise<any>}
   */
  async updatePayment(input) {
    const kept = keptOf(input);
    const isSame = kept.price === priceOf(input.amount) && kept.currency === input.currency_code.toUpperCase();
    return isSame ? { data: { ...kept }, status: 'pending' } : await this.initiatePayment(input);
  }

  /**
   * Called by the webhook, and when the buyer's browser completes the cart.
   * @param {import('@medusajs/framework/types').AuthorizePaymentInput} input
   * @returns {Promise<any>}
   */
  async authorizePayment(input) {
    return { data: { ...keptOf(input) }, ...(await this.getPaymentStatus(input)) };
  }

  /** @param {import('@medusajs/framework/types').GetPaymentStatusInput} input @returns {Promise<any>} */
  async getPaymentStatus(input) {
    const { order_id, ...claim } = keptOf(input);
    return { status: (await this.till.whyNotPaid(order_id, claim)) === null ? 'captured' : 'pending' };
  }

  /** @param {import('@medusajs/framework/types').CapturePaymentInput} input @returns {Promise<any>} */
  async capturePayment(input) {
    const { order_id, ...claim } = keptOf(input);
    const problem = await this.till.whyNotPaid(order_id, claim);
    if (problem !== null) throw new MedusaError(MedusaError.Types.NOT_ALLOWED, problem);
    return { data: input.data };
  }

  /** @param {import('@medusajs/framework/types').RefundPaymentInput} input @returns {Promise<any>} */
  async refundPayment(input) {
    const { order_id, price } = keptOf(input);
    if (priceOf(input.amount) !== price)
      throw new MedusaError(
        MedusaError.Types.NOT_ALLOWED,
        'The till refunds a payment as a whole: pay back a part by hand.',
      );
    try {
      await this.till.refund(order_id);
    } catch (error) {
      throw new MedusaError(MedusaError.Types.NOT_ALLOWED, error instanceof Error ? error.message : String(error));
    }
    return { data: input.data };
  }

  /**
   * The till's order stays open until its deadline, but its events cannot capture a session that is gone.
   *
   * @param {import('@medusajs/framework/types').CancelPaymentInput} input @returns {Promise<any>}
   */
  async cancelPayment({ data }) {
    return { data };
  }

  /** @param {import('@medusajs/framework/types').DeletePaymentInput} input @returns {Promise<any>} */
  async deletePayment({ data }) {
    return { data };
  }

  /** @param {import('@medusajs/framework/types').RetrievePaymentInput} input @returns {Promise<any>} */
  async retrievePayment(input) {
    return { data: { ...(await this.till.client.orders.get(keptOf(input).order_id)) } };
  }

  /**
   * Handles an event of `POST /hooks/payment/tillgate_<id>`. It retrieves the order, so that a late or repeated event
   * does nothing.
   *
   * @param {import('@medusajs/framework/types').ProviderWebhookPayload['payload']} payload @returns {Promise<any>}
   */
  async getWebhookActionAndData({ rawData, headers }) {
    try {
      const request = { method: 'POST', headers: /** @type {Record<string, string>} */ (headers), body: rawData };
      const event = await this.till.verify(request);
      if (event.type !== 'order.succeeded') return NOT_OURS;
      const { id, merchantReference, price, currency, metadata } = event.data;
      const claim = { price, currency, reference: merchantReference ?? '' };
      const session_id = metadata['session_id'];
      if (session_id === undefined || (await this.till.whyNotPaid(id, claim)) !== null) return NOT_OURS;
      return { action: 'captured', data: { session_id, amount: new BigNumber(price) } };
    } catch (error) {
      if (error instanceof CallbackRejectedError) return NOT_OURS;
      throw error;
    }
  }
}

/** @param {{ data?: Record<string, unknown> }} input @returns {Kept} */
const keptOf = ({ data }) => /** @type {Kept} */ (data);

/**
 * Medusa's amounts are whole units of the currency, such as 12.5 for 12.50 EUR. @param
 * {import('@medusajs/framework/types').BigNumberInput} amount
 */
export function priceOf(amount) {
  const { bigNumber } = new BigNumber(amount);
  if (bigNumber === undefined) throw new MedusaError(MedusaError.Types.INVALID_DATA, 'The amount is no number.');
  return decimal(bigNumber.toFixed());
}
