import type { DecodedInvoice, LightningPaymentRequest, LightningPaymentView } from '../../core/index.ts';
import type { NodeSelf } from './node-identity.ts';
import { invoiceRefused, readPaymentRequest } from './payment-request.ts';

/**
 * What is about to be paid, with its parts in agreement: the hash is the request's own, and exactly one of the two names an
 * amount. A node would refuse anything else, each in its own way and some after they began.
 *
 * @throws TillgateError `INVOICE_INVALID`
 */
export function checkPayment({ paymentHash, paymentRequest, msat }: LightningPaymentRequest, { network }: NodeSelf): DecodedInvoice {
  const invoice = readPaymentRequest(paymentRequest, network);
  if (invoice.paymentHash !== paymentHash) throw invoiceRefused('has another payment hash than the payment');
  if (invoice.msat === null && (msat === null || msat <= 0n)) throw invoiceRefused('names no amount, and none is given');
  if (invoice.msat !== null && msat !== null) throw invoiceRefused('names its amount, and another one is given');
  return invoice;
}

/** Some nodes pay themselves and some refuse to: none is asked to. */
export const OWN_INVOICE: LightningPaymentView = { state: 'failed', reason: 'the invoice is this node’s own' };
