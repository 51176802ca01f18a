import { above, among, equals, has, matches } from './recorded.ts';
import type { Plugin, Read, RecordedEvent, RecordedRequest, Step } from './recorded.ts';

const REQUIRED = [
  ...['btcpay.store.cancreateinvoice', 'btcpay.store.canviewinvoices', 'btcpay.store.canmodifyinvoices'],
  ...['btcpay.store.webhooks.canmodifywebhooks', 'btcpay.store.canviewstoresettings'],
  'btcpay.store.cancreatenonapprovedpullpayments',
];
const ORDER = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';

/** Only when the permission has no store; the first one is taken. */
const stores: RecordedRequest = {
  ...{ name: 'takes the first store when the key names none', method: 'GET', path: '/api/v1/stores' },
  expect: { status: 200, reads: [has('[0].id', 'filled')] },
};

const webhooks: RecordedRequest = {
  ...{
    name: 'looks for webhooks of its address, to remove them',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/webhooks',
  },
  expect: { status: 200, reads: [has('', 'array')] },
};

/** Names as the .NET client writes them: capitals, but where a name is set by hand. Everything stays true beside the chosen events. */
const register: RecordedRequest = {
  ...{
    name: 'registers its webhook; the server makes the secret',
    method: 'POST',
    path: '/api/v1/stores/{storeId}/webhooks',
  },
  body: {
    ...{ Enabled: true, AutomaticRedelivery: true, Url: '{webhookUrl}' },
    AuthorizedEvents: {
      Everything: true,
      SpecificEvents: [
        ...['InvoiceReceivedPayment', 'InvoiceProcessing', 'InvoiceExpired', 'InvoiceSettled', 'InvoiceInvalid'],
        'InvoicePaymentSettled',
      ],
    },
  },
  expect: { status: 200, reads: [has('secret', 'filled')], keeps: { webhookId: 'id', webhookSecret: 'secret' } },
};

const registered: RecordedRequest = {
  ...{ name: 'finds it again when it is set up anew', method: 'GET', path: '/api/v1/stores/{storeId}/webhooks' },
  expect: { status: 200, reads: [equals('[?].url', '{webhookUrl}'), equals('[?].id', '{webhookId}')] },
};

const removeWebhook: RecordedRequest = {
  ...{ name: 'and removes it', method: 'DELETE', path: '/api/v1/stores/{storeId}/webhooks/{webhookId}' },
  expect: { status: [200, 204], reads: [] },
};

/** What the .NET client parses: an unknown word in an enumeration, or a time that is no number, is an exception. */
const INVOICE: Read[] = [
  ...[has('id', 'string'), has('storeId', 'string'), has('currency', 'string'), matches('checkoutLink', '^https?://')],
  ...[has('amount', 'decimal'), among('type', 'Standard', 'TopUp'), has('archived', 'boolean')],
  ...[has('createdTime', 'integer'), has('expirationTime', 'integer'), has('monitoringExpiration', 'integer')],
  ...[among('status', 'New', 'Processing', 'Expired', 'Invalid', 'Settled')],
  ...[among('additionalStatus', 'None', 'PaidLate', 'PaidPartial', 'Marked', 'Invalid', 'PaidOver')],
  ...[has('metadata', 'object'), has('checkout', 'object'), has('availableStatusesForManualMarking', 'array')],
  ...[
    among('checkout.speedPolicy', 'HighSpeed', 'MediumSpeed', 'LowSpeed', 'LowMediumSpeed'),
    has('checkout.expirationMinutes', 'integer'),
  ],
  has('checkout.monitoringMinutes', 'integer'),
];

const sell: RecordedRequest = {
  ...{ name: 'makes an invoice for the order', method: 'POST', path: '/api/v1/stores/{storeId}/invoices' },
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: {
    ...{ Amount: '10.00', AdditionalSearchTerms: null, Type: 'Standard', Currency: 'EUR' },
    Metadata: {
      ...{ buyerEmail: 'buyer@example.com', buyerName: 'A Buyer', orderId: ORDER },
      ...{ orderUrl: `{shopUrl}/btcpayserver/order/${ORDER}`, itemDesc: 'From A shop' },
    },
    Checkout: {
      ...{
        SpeedPolicy: null,
        PaymentMethods: null,
        DefaultPaymentMethod: null,
        expirationMinutes: null,
        monitoringMinutes: null,
      },
      ...{ PaymentTolerance: null, redirectURL: '{shopUrl}/checkout/completed', RedirectAutomatically: true },
      ...{ DefaultLanguage: 'en-US', LazyPaymentMethods: null },
    },
    Receipt: { Enabled: true, ShowQR: null, ShowPayments: null },
  },
  expect: {
    status: 200,
    reads: [...INVOICE, equals('receipt.enabled', true)],
    keeps: { invoiceId: 'id', checkoutLink: 'checkoutLink' },
  },
};

const invoice = (name: string, reads: Read[]): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/invoices/{invoiceId}' },
  expect: { status: 200, reads: [...INVOICE, ...reads] },
});

/** The coin of the first that has payments is the one to refund in. */
const coins: RecordedRequest = {
  ...{
    name: 'looks which coin was paid',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/invoices/{invoiceId}/payment-methods',
  },
  query: [
    ['onlyAccountedPayments', 'True'],
    ['includeSensitive', 'False'],
  ],
  expect: {
    status: 200,
    reads: [
      ...[
        has('[].paymentMethodId', 'filled'),
        has('[].activated', 'boolean'),
        has('[].payments', 'array'),
        above('[?].paymentMethodPaid', 0),
      ],
      ...[
        has('[].rate', 'decimal'),
        has('[].paymentMethodPaid', 'decimal'),
        has('[].totalPaid', 'decimal'),
        has('[].due', 'decimal'),
      ],
      ...[
        has('[].amount', 'decimal'),
        has('[].paymentMethodFee', 'decimal'),
        has('[?].payments[0].receivedDate', 'integer'),
      ],
      among('[?].payments[0].status', 'Invalid', 'Processing', 'Settled'),
    ],
    keeps: { coin: '[0].paymentMethodId' },
  },
};

const PULL_PAYMENT: Read[] = [
  ...[matches('viewLink', '^https?://'), has('id', 'string'), has('amount', 'decimal'), has('currency', 'string')],
  ...[
    has('startsAt', 'integer'),
    has('BOLT11Expiration', 'integer'),
    has('archived', 'boolean'),
    has('autoApproveClaims', 'boolean'),
  ],
];

const refund = (
  name: string,
  set: { coin: string; description: string; variant: string; amount: string | null; currency: string | null },
): RecordedRequest => ({
  ...{ name, method: 'POST', path: '/api/v1/stores/{storeId}/invoices/{invoiceId}/refund' },
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: {
    ...{
      Name: `Refund order ${ORDER}`,
      PayoutMethodId: set.coin,
      Description: set.description,
      RefundVariant: set.variant,
    },
    ...{ SubtractPercentage: '0', CustomAmount: set.amount, CustomCurrency: set.currency },
  },
  expect: { status: 200, reads: PULL_PAYMENT, keeps: { pullPaymentId: 'id', viewLink: 'viewLink' } },
});

const partial = refund('refunds a part, in the currency of the order', {
  ...{ coin: '{coin}', description: 'Partial refund', variant: 'Custom', amount: '4.00', currency: 'EUR' },
});

/** The plugin asks for Bitcoin always. */
const whole = refund('refunds all of it, in the coin by its former id', {
  ...{ coin: 'BTC', description: 'Full', variant: 'Fiat', amount: null, currency: null },
});

const claimPage: Step = {
  page: {
    name: 'gives the payer the link of the refund',
    path: '{viewLink}',
    expect: { status: [200, 302, 303, 307, 308] },
  },
};

const connected: Step[] = [{ authorize: true }, { request: webhooks }, { request: register }];

/** Every event must carry the invoice's metadata: the order is found by `metadata.orderId` there. */
const event = (type: RecordedEvent['type'], does: string, ...reads: Read[]): RecordedEvent => ({
  type,
  reads: [
    ...[has('type', 'string'), has('invoiceId', 'string'), has('timestamp', 'integer'), has('isRedelivery', 'boolean')],
    ...[equals('metadata.orderId', ORDER), ...reads],
  ],
  does,
});
const PAYMENT: Read[] = [
  ...[
    has('paymentMethodId', 'string'),
    has('payment', 'object'),
    has('payment.value', 'decimal'),
    has('payment.receivedDate', 'integer'),
  ],
  among('payment.status', 'Invalid', 'Processing', 'Settled'),
];

export const nopcommerce: Plugin = {
  name: 'nopCommerce',
  repository: 'btcpayserver/nopcommerce',
  commit: '8bcbdd1c9f8198b5599715b0cdaf146fc62332cf',
  version: '1.11',
  client: 'BTCPayServer.Client 2.0.1 (.NET, Newtonsoft.Json); any status from 200 to 299 is success',
  headers: { Authorization: 'token {apiKey}', 'Content-Type': 'application/json; charset=utf-8' },
  authorization: {
    path: '/api-keys/authorize',
    query: [
      ...([
        ['strict', 'True'],
        ['selectiveStores', 'True'],
      ] as [string, string][]),
      ...REQUIRED.map((permission): [string, string] => ['permissions', permission]),
      ['redirect', '{shopUrl}/Admin/PaymentBTCPayServer/GetAutomaticApiKeyConfig?ssid=1&btcpayuri={baseUrl}'],
      ...([
        ['applicationIdentifier', 'NopCommerce1'],
        ['applicationName', 'A shop'],
      ] as [string, string][]),
    ],
    returns: 'form post',
    reads: [has('apiKey', 'filled'), matches('permissions[0]', '^[^:]+(:[^:]+)?$')],
    permissions: { required: REQUIRED, optional: [], others: 'accepted' },
    notes: [
      'strict and selectiveStores are True with a capital.',
      'The redirect address always begins with https://. It has a query of its own, percent-encoded once.',
      'The store comes from permissions[0], else from the list of stores. Nothing else is checked; a failure to register the webhook is not shown.',
    ],
  },
  signature: {
    header: 'BTCPAY-Sig',
    compares: 'exact',
    notes: [
      'The text after = is compared with lower-case hexadecimal. It is checked after the order was found; a wrong one is answered by 400.',
    ],
  },
  events: [
    { type: 'InvoiceCreated', reads: [], does: 'Nothing; answered by 200.' },
    event('InvoiceReceivedPayment', 'Reads the invoice; notes the coin and the amount.', ...PAYMENT),
    event('InvoicePaymentSettled', 'Reads the invoice; notes the coin and the amount.', ...PAYMENT),
    event(
      'InvoiceProcessing',
      'Reads the invoice: Processing is authorised. Notes overPaid.',
      has('overPaid', 'boolean'),
    ),
    event(
      'InvoiceExpired',
      'Reads the invoice: Expired cancels. Notes partiallyPaid.',
      has('partiallyPaid', 'boolean'),
    ),
    event('InvoiceSettled', 'Reads the invoice: Settled is paid.'),
    event('InvoiceInvalid', 'Reads the invoice: Invalid cancels.'),
  ],
  stories: [
    {
      name: 'connects, twice',
      steps: [...connected, ...[stores, registered, removeWebhook, register].map((request) => ({ request }))],
    },
    {
      name: 'sells: paid in full, refunded in part',
      steps: [
        ...[...connected, { request: sell }],
        {
          page: {
            name: 'sends the payer to the page',
            path: '{checkoutLink}',
            expect: { status: [200, 302, 303, 307, 308] },
          },
        },
        { request: invoice('is still to be paid when the payer comes back', [equals('status', 'New')]) },
        { act: 'pays in full' },
        { event: 'InvoiceReceivedPayment' },
        { event: 'InvoiceProcessing', reads: [equals('overPaid', false)] },
        { event: 'InvoicePaymentSettled', reads: [equals('payment.status', 'Settled')] },
        { event: 'InvoiceSettled' },
        { request: invoice('is paid', [equals('status', 'Settled'), equals('additionalStatus', 'None')]) },
        {
          page: {
            name: 'links to the receipt',
            path: '{checkoutLink}/receipt',
            expect: { status: [200, 302, 303, 307, 308] },
          },
        },
        { act: 'payment becomes final' },
        ...[{ request: coins }, { request: partial }, claimPage],
        ...[{ act: 'payer claims the refund' as const }, { act: 'merchant approves the refund' as const }],
        { request: invoice('is refunded in part, and paid', [equals('status', 'Settled')]) },
      ],
    },
    {
      name: 'sells: paid in Bitcoin, refunded in full',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays in full in Bitcoin' as const }],
        ...[{ act: 'payment becomes final' as const }, { event: 'InvoiceSettled' as const }],
        ...[{ request: whole }, claimPage],
        ...[{ act: 'payer claims the refund' as const }, { act: 'merchant approves the refund' as const }],
      ],
    },
    {
      name: 'sells: paid late',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays late in full' as const }],
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', false)] },
        { event: 'InvoicePaymentSettled', reads: [equals('afterExpiration', true)] },
        { request: invoice('paid late', [equals('additionalStatus', 'PaidLate')]) },
      ],
    },
    {
      name: 'sells: paid in part',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays a part until the end' as const }],
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', true)] },
        {
          request: invoice('expired, with money in it', [
            equals('status', 'Expired'),
            equals('additionalStatus', 'PaidPartial'),
          ]),
        },
      ],
    },
    {
      name: 'sells: paid too much',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays too much' as const }],
        { event: 'InvoiceProcessing', reads: [equals('overPaid', true)] },
        { event: 'InvoiceSettled' },
        { request: invoice('paid too much', [equals('status', 'Settled'), equals('additionalStatus', 'PaidOver')]) },
      ],
    },
    {
      name: 'sells: the merchant marks the invoice invalid',
      steps: [
        ...[
          ...connected,
          { request: sell },
          { act: 'merchant marks invalid' as const },
          { event: 'InvoiceInvalid' as const },
        ],
        { request: invoice('invalid', [equals('status', 'Invalid')]) },
      ],
    },
  ],
  former: [],
  notes: [
    'Names in bodies begin with a capital (Amount, Checkout, PayoutMethodId, RefundVariant), beside some that do not (redirectURL, expirationMinutes, monitoringMinutes, and all of Metadata). A server must take names without regard to case, but not inside metadata.',
    'A full refund always asks for the coin BTC, which is BTC-CHAIN, whatever the order was paid in.',
    'The coin of a refund is named payoutMethodId; later clients send payoutMethods, a list.',
    'Queries have True and False with a capital.',
    'Errors: 422 is parsed as a list of {path, message}; any other as {code, message}. A body of another content type is an error all the same.',
    'An event without metadata.orderId is answered by 422, and comes again.',
    "A receipt is linked at the payer's page with /receipt at its end.",
  ],
};
