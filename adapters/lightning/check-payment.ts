import type { DecodedInvoice, LightningPaymentRequest, LightningPaymentView } from '../../core/index.ts';
import type { NodeSelf } from './node-identity.ts';
import { readPayableRequest } from './payable-request.ts';
import { invoiceRefused } from './payment-request.ts';

/**
 * Checks a payment before it is sent: the hash must be that of the payment request, and exactly one of the two must have an
 * amount. Nodes refuse anything else in different ways, some only after they have started to pay.
 *
 * @throws TillgateError `INVOICE_INVALID`
 */
export function checkPayment(
  { paymentHash, paymentRequest, msat }: LightningPaymentRequest,
  { network }: NodeSelf,
): DecodedInvoice {
  const invoice = readPayableRequest(paymentRequest, network);
  if (invoice.paymentHash !== paymentHash) throw invoiceRefused('has another payment hash than the payment');
  if (invoice.msat === null && (msat === null || msat <= 0n)) throw invoiceRefused('has no amount, and none is given');
  if (invoice.msat !== null && msat !== null) throw invoiceRefused('has an amount, and another one is given');
  return invoice;
}

/** Some nodes pay their own invoices and some refuse to, so this is decided here. */
export const OWN_INVOICE: LightningPaymentView = { state: 'failed', reason: 'the invoice is this node’s own' };
