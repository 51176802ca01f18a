import { ConfigService, LanguageCode, PaymentMethodHandler } from '@vendure/core';
import { decimal } from './till.js';

/** The code of the handler, which is selected for a payment method in the admin. */
const CODE = 'tillgate';

/**
 * A Vendure amount as a decimal. Vendure stores every currency with as many decimals as its money strategy says (two by
 * default), whatever the currency has.
 *
 * @param {number} amount
 * @param {number} precision
 */
export function priceOf(amount, precision) {
  const digits = String(amount).padStart(precision + 1, '0');
  const at = digits.length - precision;
  return decimal(`${digits.slice(0, at)}.${digits.slice(at)}`);
}

/** @param {import('@vendure/core').Payment} payment */
export const referenceOf = ({ metadata }) => String(metadata['reference'] ?? '');

/**
 * The payment method: a payment is Created with a link to the till's page, and Settled once the till reports the order
 * as paid.
 *
 * @param {import('./till.js').Till} till
 */
export function tillgateHandler(till) {
  let precision = 2;
  return new PaymentMethodHandler({
    code: CODE,
    description: [{ languageCode: LanguageCode.en, value: 'Crypto payments by Tillgate' }],
    args: {},
    init: (injector) => {
      precision = injector.get(ConfigService).entityOptions.moneyStrategy?.precision ?? 2;
    },

    // Metadata that the buyer's browser sends is ignored.
    createPayment: async (_ctx, order, amount) => {
      try {
        const price = { price: priceOf(amount, precision), currency: order.currencyCode };
        const { orderId, payUrl, reference } = await till.open({ name: order.code, ...price });
        return { amount, state: 'Created', transactionId: orderId, metadata: { reference, public: { payUrl } } };
      } catch (error) {
        return { amount, state: 'Error', errorMessage: messageOf(error) };
      }
    },

    // Called by the webhook, and by the admin's button when the webhook was lost.
    settlePayment: async (_ctx, order, payment) => {
      const problem = await till.whyNotPaid(payment.transactionId, {
        price: priceOf(payment.amount, precision),
        currency: order.currencyCode,
        reference: referenceOf(payment),
      });
      return problem === null
        ? { success: true }
        : { success: false, state: unsettled(payment), errorMessage: problem };
    },

    createRefund: async (_ctx, _input, amount, _order, payment) => {
      if (payment.state !== 'Settled') return failed('The payment was not settled.');
      if (amount !== payment.amount) return failed('The till refunds a payment as a whole: pay back a part by hand.');
      try {
        const { status } = await till.refund(payment.transactionId);
        return { state: status === 'CONFIRMED' ? 'Settled' : 'Pending', transactionId: payment.transactionId };
      } catch (error) {
        return failed(messageOf(error));
      }
    },
  });
}

/** A payment that is not paid yet stays as it is. @param {import('@vendure/core').Payment} payment */
const unsettled = ({ state }) => (state === 'Settled' ? 'Error' : state);

/** @param {string} errorMessage @returns {import('@vendure/core').CreateRefundResult} */
const failed = (errorMessage) => ({ state: 'Failed', metadata: { errorMessage } });

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
