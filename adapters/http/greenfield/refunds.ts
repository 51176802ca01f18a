import { LIGHTNING_ASSET } from '../../../core/index.ts';
import type { Decimal, RefundShare, ShopOrderView } from '../../../core/index.ts';
import { z } from 'zod';
import { InvalidRequest } from '../invalid-request.ts';
import { blaming, withoutCode } from './core-errors.ts';
import type { GreenfieldDeps } from './deps.ts';
import { maybeDecimal, maybeText, maybeTexts, maybeWord } from './fields.ts';
import { greenfieldOperation } from './operation.ts';
import type { GreenfieldOperation } from './operation.ts';
import { coinOf } from './payment-method-ids.ts';
import { descriptionField, MAX_METHOD, MAX_METHODS, nameField, textsOf } from './pull-payment-fields.ts';
import { pullPaymentRecord, pullPaymentSchema } from './pull-payment-record.ts';

export const REFUND_VARIANTS = ['RateThen', 'CurrentRate', 'Fiat', 'OverpaidAmount', 'Custom'] as const;

const NOTHING: Decimal = { digits: 0n, scale: 0 };

const body = z.object({
  name: nameField,
  description: descriptionField,
  refundVariant: maybeWord(
    REFUND_VARIANTS,
    'RateThen: the coins that were received. CurrentRate, Fiat: their price of then in coins at the present rate. OverpaidAmount: what is above the amount due. Custom: customAmount in customCurrency. Required',
  ),
  subtractPercentage: maybeDecimal('Percentage by which the refund is less, 0 to 100; 0 by default'),
  customAmount: maybeDecimal('Amount of the variant Custom'),
  customCurrency: maybeText(16, "The invoice's fiat currency, at the present rate, or the coin in which it was paid"),
  payoutMethods: maybeTexts(
    MAX_METHODS,
    MAX_METHOD,
    'Coins; must contain that of the payment, in which alone it is refunded',
  ),
  payoutMethodId: maybeText(MAX_METHOD, 'The same, of one coin'),
  paymentMethod: maybeText(MAX_METHOD, 'The same, by its former name'),
});
type Body = z.output<typeof body>;

const refuse = (path: string, message: string): InvalidRequest => new InvalidRequest([{ path, message }]);

/** The share of the order that a variant means. @throws InvalidRequest */
function shareOf(
  { refundVariant, customAmount, customCurrency }: Body,
  { order, asset }: ShopOrderView,
  { assets }: GreenfieldDeps,
): RefundShare {
  if (refundVariant === null) throw refuse('refundVariant', 'is required');
  if (refundVariant !== 'Custom') {
    if (customAmount !== null) throw refuse('customAmount', 'belongs to the variant Custom alone');
    if (customCurrency !== null) throw refuse('customCurrency', 'belongs to the variant Custom alone');
  }
  switch (refundVariant) {
    case 'RateThen':
      return 'received';
    case 'CurrentRate':
    case 'Fiat':
      return 'worth';
    case 'OverpaidAmount':
      return { surplus: true };
    case 'Custom':
      if (customAmount === null || customAmount.digits === 0n) throw refuse('customAmount', 'must be more than 0');
      if (customCurrency?.toUpperCase() === order.vsCurrency) return { fiatAmount: customAmount, rate: 'current' };
      if (customCurrency !== null && asset !== null && coinOf(customCurrency, assets)?.currency === asset.currency)
        return { amount: customAmount };
      throw refuse('customCurrency', `must be ${[order.vsCurrency, asset?.currency].join(' or ')}`);
  }
}

/** A refund is paid in the coin of the payment. @throws InvalidRequest where the shop names others alone */
function requireMethod(given: Body, { asset }: ShopOrderView, { assets }: GreenfieldDeps): void {
  const [path, ids] =
    given.payoutMethods !== null
      ? (['payoutMethods', given.payoutMethods] as const)
      : given.payoutMethodId !== null
        ? (['payoutMethodId', [given.payoutMethodId]] as const)
        : (['paymentMethod', given.paymentMethod === null ? [] : [given.paymentMethod]] as const);
  if (ids.length === 0 || asset === null || ids.some((id) => coinOf(id, assets)?.currency === asset.currency)) return;
  throw refuse(path, `the invoice was paid in ${asset.currency}, and is refunded in it alone`);
}

/** The fields to blame for what the core refuses. A rate that is missing is one of the variant. */
const BLAME = {
  NOT_READY: 'refundVariant',
  UNSUPPORTED: 'refundVariant',
  INSUFFICIENT_BALANCE: 'refundVariant',
  fields: {
    fiatAmount: 'customAmount',
    amount: 'customAmount',
    surplus: 'refundVariant',
    lessPercent: 'subtractPercentage',
    metadata: 'description',
  },
} as const;

/** The refund of an invoice, by a pull payment. */
export const refundInvoice: GreenfieldOperation = greenfieldOperation({
  id: 'refundInvoice',
  method: 'POST',
  paths: ['/stores/{storeId}/invoices/{invoiceId}/refund', '/invoices/{invoiceId}/refund'],
  permission: 'btcpay.store.cancreatenonapprovedpullpayments',
  resource: 'invoice',
  summary: 'Refund an invoice',
  description:
    "Promises a refund to the payer, who claims it at `viewLink`; the account approves the claim. It is in the coin of the payment, computed now, and never more than what was received and is neither refunded nor promised. The network fee is taken from the payer's amount.",
  idempotent: true,
  errors: [
    'NOT_FOUND',
    'STATE_CONFLICT',
    'INSUFFICIENT_BALANCE',
    'IDEMPOTENCY_MISMATCH',
    'IDEMPOTENCY_RUNNING',
    'NOT_READY',
  ],
  params: z.object({ invoiceId: z.string() }),
  body,
  data: pullPaymentSchema,
  handler: async ({ accountId, actor, params: { invoiceId }, body: given, idempotency }, deps) => {
    const view = await deps.shopOrders.find(accountId, invoiceId);
    const share = shareOf(given, view, deps);
    requireMethod(given, view, deps);
    if (view.asset?.chain === LIGHTNING_ASSET.chain)
      throw refuse('refundVariant', 'the invoice was paid over Lightning, which this till does not refund');
    const { merchantReference } = view.order;
    const reference = view.shop?.reference ?? merchantReference;
    const input = {
      ...textsOf(given, nameOf(reference)),
      share,
      lessPercent: given.subtractPercentage ?? NOTHING,
    };
    const made = await withoutCode(() =>
      blaming(BLAME, () => deps.manage.pullPayments.refund(actor, view.order.id, input, idempotency)),
    );
    return pullPaymentRecord(made);
  },
});

/** The heading of a claim page that the shop gave no name. */
function nameOf(reference: string | null): string {
  return reference === null ? 'Refund' : `Refund of order ${reference}`.slice(0, 100);
}
