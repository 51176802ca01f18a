import { GREENFIELD_PHP, PHP_HEADERS, checkout } from './greenfield-php.ts';
import { among, equals, has, matches } from './recorded.ts';
import type { Plugin, Read, RecordedEvent, RecordedRequest, Step } from './recorded.ts';

const EVENTS = [
  'InvoiceReceivedPayment',
  'InvoicePaymentSettled',
  'InvoiceProcessing',
  'InvoiceExpired',
  'InvoiceSettled',
  'InvoiceInvalid',
];

const store: RecordedRequest = {
  ...{
    name: 'checks the address, the key and the store that were typed in',
    method: 'GET',
    path: '/api/v1/stores/{storeId}',
  },
  expect: { status: 200, reads: [has('id', 'filled'), has('id', 'string')] },
};

const register: RecordedRequest = {
  ...{
    name: 'registers its webhook; its address has a bare |',
    method: 'POST',
    path: '/api/v1/stores/{storeId}/webhooks',
  },
  body: {
    ...{ enabled: true, automaticRedelivery: true, url: '{webhookUrl}?route=extension/btcpay/payment/btcpay|callback' },
    authorizedEvents: { everything: false, specificEvents: EVENTS },
  },
  expect: {
    status: 200,
    reads: [has('id', 'filled'), has('secret', 'filled'), has('url', 'filled')],
    keeps: { webhookId: 'id', webhookSecret: 'secret' },
  },
};

const removeWebhook: RecordedRequest = {
  ...{
    name: 'removes its webhook when the merchant wants that',
    method: 'DELETE',
    path: '/api/v1/stores/{storeId}/webhooks/{webhookId}',
  },
  expect: { status: 200, reads: [] },
};

/** Eight places whatever the currency. The order's number is all of the metadata. */
const sell: RecordedRequest = {
  ...{ name: 'makes an invoice for the order', method: 'POST', path: '/api/v1/stores/{storeId}/invoices' },
  body: {
    ...{ amount: '10.00000000', currency: 'EUR', metadata: { orderId: '17' } },
    checkout: checkout({
      redirectURL:
        '{shopUrl}/index.php?route=extension/btcpay/payment/btcpay|success&language=en-gb&token=5d41402abc4b2a76b9719d911017c592',
    }),
  },
  expect: {
    status: 200,
    reads: [has('id', 'string'), matches('checkoutLink', '^https?://')],
    keeps: { invoiceId: 'id', checkoutLink: 'checkoutLink' },
  },
};

const invoice = (name: string, reads: Read[]): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/invoices/{invoiceId}' },
  expect: {
    status: 200,
    reads: [has('id', 'string'), has('status', 'string'), has('additionalStatus', 'string'), ...reads],
  },
});

const connected: Step[] = [{ request: store }, { request: register }];

const event = (type: RecordedEvent['type'], does: string, ...reads: Read[]): RecordedEvent => ({
  type,
  reads: [has('type', 'string'), has('invoiceId', 'string'), ...reads],
  does: `Reads the invoice. ${does}`,
});

export const opencart: Plugin = {
  name: 'OpenCart',
  repository: 'btcpayserver/opencart',
  commit: '9e87e5e1244215ad5549df7909b51f6388ac905f',
  version: '4.2.2',
  client: `${GREENFIELD_PHP} (the plugin contains 1.3.6)`,
  headers: PHP_HEADERS,
  authorization: null,
  signature: {
    header: 'BTCPay-Sig',
    compares: 'exact',
    notes: ['The name of the header is compared without case. A wrong or missing one is answered by 403.'],
  },
  events: [
    event('InvoiceReceivedPayment', 'The order is paid, not settled.'),
    event('InvoicePaymentSettled', 'Settled where the invoice is Expired and PaidLate; else paid.'),
    event('InvoiceProcessing', 'The order is paid, not settled.'),
    event(
      'InvoiceExpired',
      'Expired, with a state of its own where it was paid in part.',
      has('partiallyPaid', 'boolean'),
    ),
    event('InvoiceSettled', 'Settled, with a state of its own where the invoice is PaidOver.'),
    event('InvoiceInvalid', 'Invalid.'),
  ],
  stories: [
    { name: 'connects, and lets go', steps: [...connected, { request: removeWebhook }] },
    {
      name: 'sells: paid in full',
      steps: [
        ...[...connected, { request: sell }],
        {
          request: invoice('uses the invoice again unless it expired or the total changed', [
            ...[among('status', 'New', 'Processing', 'Settled', 'Invalid'), matches('amount', '^10(\\.0+)?$')],
            matches('checkoutLink', '^https?://'),
          ]),
        },
        {
          page: {
            name: 'opens it in a frame by this script',
            path: '/modal/btcpay.js',
            expect: { status: 200, contentType: 'javascript' },
          },
        },
        { act: 'pays in full' },
        { event: 'InvoiceReceivedPayment' },
        { event: 'InvoiceProcessing' },
        { event: 'InvoicePaymentSettled' },
        { event: 'InvoiceSettled' },
        { request: invoice('settled', [equals('status', 'Settled'), equals('additionalStatus', 'None')]) },
      ],
    },
    {
      name: 'sells: paid late',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays late in full' as const }],
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', false)] },
        { event: 'InvoicePaymentSettled' },
        { request: invoice('settled late', [equals('additionalStatus', 'PaidLate')]) },
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
        ...[...connected, { request: sell }, { act: 'pays too much' as const }, { event: 'InvoiceSettled' as const }],
        { request: invoice('settled, too much', [equals('additionalStatus', 'PaidOver')]) },
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
    'There is no link for a key: address, key and store are typed in.',
    'Its addresses for the webhook and the return have a bare | in the query.',
    'A late payment is noted as settled on InvoicePaymentSettled only where the invoice says Expired and PaidLate; otherwise on InvoiceSettled, which BTCPay Server does not send for it.',
    "The frame's messages are compared with case: status complete or paid ends in success, expired in an error; settled and processing, which WooCommerce takes too, are not known to it.",
    'An event whose order is not found is answered by 200. An event without invoiceId fails.',
    'There is no refund.',
  ],
};
