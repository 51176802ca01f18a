import { parse, stringify } from 'lossless-json';
import { hex, owedUnits, webhookEventOf } from '../../../core/index.ts';
import type {
  AssetCatalogue,
  ClaimReport,
  DeliveryPlace,
  Deposit,
  FormatMessage,
  OrderReport,
  OrderTransition,
  ReportFormat,
} from '../../../core/index.ts';
import { inSeconds } from './fields.ts';
import { depositRecord, metadataOf } from './invoice-record.ts';
import { paymentMethodId } from './payment-method-ids.ts';
import { payoutState } from './payout-state.ts';
import type { PayoutState } from './payout-state.ts';

/** The name of the format, as endpoints keep it. */
export const GREENFIELD_FORMAT = 'greenfield';

/** The types that the till sends. */
export const SENT_TYPES = [
  'InvoiceCreated',
  'InvoiceReceivedPayment',
  'InvoiceProcessing',
  'InvoicePaymentSettled',
  'InvoiceExpired',
  'InvoiceSettled',
  'InvoiceInvalid',
  'PayoutCreated',
  'PayoutApproved',
  'PayoutUpdated',
] as const;
type SentType = (typeof SENT_TYPES)[number];

/** Types of things that the till does not have: an endpoint may ask for them, and they never happen. */
const NEVER_SENT = [
  'InvoicePendingPayment',
  ...['PaymentRequestCreated', 'PaymentRequestUpdated', 'PaymentRequestArchived', 'PaymentRequestStatusChanged'],
  ...['PaymentRequestCompleted', 'PendingTransactionCreated'],
  ...['PendingTransactionSignatureCollected', 'PendingTransactionBroadcast', 'PendingTransactionCancelled'],
];

/** The types to which an endpoint can subscribe. */
export const SUBSCRIBED_TYPES: readonly string[] = [...SENT_TYPES, ...NEVER_SENT];

type Fields = Readonly<Record<string, unknown>>;

/** What a message says beside its envelope. */
interface Said {
  readonly type: SentType;
  readonly event: FormatMessage['event'];
  readonly fields: Fields;
}

/**
 * The events of invoices as plugins of shop systems read them, signed with `BTCPay-Sig`: the hexadecimal HMAC-SHA256 of
 * the raw body.
 *
 * @param assets - the coins, for the amounts of payments
 */
export function greenfieldFormat(assets: Pick<AssetCatalogue, 'find'>): ReportFormat {
  return {
    name: GREENFIELD_FORMAT,
    types: SUBSCRIBED_TYPES,
    headers: (body, secret, digest) => ({
      'Content-Type': 'application/json',
      'BTCPay-Sig': `sha256=${hex(digest.hmac('HMAC-SHA256', secret, body))}`,
    }),
    messages: (report) => {
      const said = saidOf(report, assets);
      return said === null ? [] : [messageOf(report, said)];
    },
    claim: claimMessage,
    // Plugins ignore an invoice whose id says so.
    test: ({ accountId, ...place }) =>
      envelope('InvoiceCreated', place, {
        storeId: accountId,
        invoiceId: `__test__${place.deliveryId}__test__`,
        metadata: {},
      }),
    again: (body, { deliveryId, at }) => {
      const former = parse(body) as Fields;
      const { deliveryId: first, originalDeliveryId = first } = former;
      return write({ ...former, deliveryId, originalDeliveryId, isRedelivery: true, timestamp: inSeconds(at) });
    },
  };
}

const write = (value: Fields): string => stringify(value) ?? '{}';

function envelope(type: SentType, { deliveryId, webhookId, at }: DeliveryPlace, fields: Fields): string {
  const place = { deliveryId, webhookId, originalDeliveryId: deliveryId, isRedelivery: false };
  return write({ ...place, type, timestamp: inSeconds(at), ...fields });
}

function messageOf({ order, shop }: OrderReport, { type, event, fields }: Said): FormatMessage {
  const invoice = {
    storeId: order.accountId,
    invoiceId: order.checkoutToken,
    metadata: metadataOf({ order, shop }),
  };
  return { type, event, write: (place) => envelope(type, place, { ...invoice, ...fields }) };
}

/** The type of a payout's event, by what happened. */
const PAYOUT_TYPES = {
  requested: 'PayoutCreated',
  approved: 'PayoutApproved',
  changed: 'PayoutUpdated',
} as const satisfies Record<ClaimReport['step'], SentType>;

/** The event of the till that a payout's event stands for. */
function payoutEvent(step: ClaimReport['step'], state: PayoutState, { status }: ClaimReport['claim']): Said['event'] {
  if (step === 'requested') return 'claim.requested';
  if (step === 'approved') return 'claim.approved';
  if (status === 'REJECTED') return 'claim.rejected';
  const ends = { Completed: 'payout.succeeded', Cancelled: 'payout.failed' } as const;
  return state === 'Completed' || state === 'Cancelled' ? ends[state] : 'claim.approved';
}

function claimMessage({ claim, transfer, step }: ClaimReport): FormatMessage {
  const type = PAYOUT_TYPES[step];
  const state = payoutState(claim.status, transfer?.status ?? null);
  const { accountId: storeId, id: payoutId, pullPaymentId } = claim;
  const fields = { storeId, payoutId, pullPaymentId, payoutState: state };
  return {
    type,
    event: payoutEvent(step, state, claim),
    write: (place) => envelope(type, place, fields),
  };
}

/** The message of a report; `null` where plugins are told nothing. */
function saidOf(report: OrderReport, assets: Pick<AssetCatalogue, 'find'>): Said | null {
  const { happening } = report;
  switch (happening.kind) {
    case 'created':
      return { type: 'InvoiceCreated', event: 'order.created', fields: {} };
    case 'payment-seen':
      return paymentSaid('InvoiceReceivedPayment', 'deposit.seen', report, happening.deposit, assets);
    case 'paid':
      return { type: 'InvoiceProcessing', event: 'deposit.seen', fields: { overPaid: isOverPaid(report) } };
    case 'payment-credited':
      return paymentSaid('InvoicePaymentSettled', 'deposit.credited', report, happening.deposit, assets);
    case 'moved':
      return moveSaid(report, happening.transition);
  }
}

function paymentSaid(
  type: SentType,
  event: Said['event'],
  { order }: OrderReport,
  deposit: Deposit,
  assets: Pick<AssetCatalogue, 'find'>,
): Said | null {
  const asset = assets.find(deposit.currency);
  if (asset === null) return null;
  const afterExpiration = deposit.paidAt > order.expiresAt;
  const payment = depositRecord(deposit, asset);
  return { type, event, fields: { afterExpiration, paymentMethodId: paymentMethodId(asset), payment } };
}

function moveSaid(report: OrderReport, transition: OrderTransition): Said | null {
  const { rule, to } = transition;
  const event = webhookEventOf(transition);
  switch (to) {
    case 'SUCCESS':
    case 'RESOLVED': {
      const manuallyMarked = rule === 'operator-accepted';
      return { type: 'InvoiceSettled', event, fields: { manuallyMarked, overPaid: isOverPaid(report) } };
    }
    case 'OVERDUE':
    case 'PARTIAL':
      return { type: 'InvoiceExpired', event, fields: { partiallyPaid: seenOf(report) > 0n } };
    case 'TERMINATED':
      return { type: 'InvoiceInvalid', event, fields: { manuallyMarked: rule === 'cancelled' } };
    case 'PENDING':
    case 'REFUNDED':
      return null;
  }
}

const seenOf = ({ deposits }: OrderReport): bigint => deposits.reduce((sum, deposit) => sum + owedUnits(deposit), 0n);

function isOverPaid(report: OrderReport): boolean {
  const { payment } = report.order;
  return payment !== null && seenOf(report) > payment.units;
}
