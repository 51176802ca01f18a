import { among, equals, has, matches } from './recorded.ts';
import type { Plugin, Read, RecordedEvent, RecordedRequest, Step } from './recorded.ts';

const REQUIRED = [
  ...['btcpay.store.cancreateinvoice', 'btcpay.store.canviewinvoices'],
  ...['btcpay.store.webhooks.canmodifywebhooks', 'btcpay.store.canviewstoresettings'],
];

const tryKey: RecordedRequest = {
  ...{ name: 'tries the connection by the list of invoices', method: 'GET', path: '/api/v1/stores/{storeId}/invoices' },
  expect: { status: 200, reads: [has('', 'array')] },
};

/** Nothing but the address: the webhook is enabled, sent again after failures, and for every event. */
const register: RecordedRequest = {
  ...{ name: 'registers its webhook by its address alone', method: 'POST', path: '/api/v1/stores/{storeId}/webhooks' },
  ...{ headers: { 'content-type': 'application/json' }, body: { url: '{webhookUrl}' } },
  expect: {
    status: 200,
    reads: [has('secret', 'filled'), has('id', 'filled')],
    keeps: { webhookId: 'id', webhookSecret: 'secret' },
  },
};

const webhook: RecordedRequest = {
  ...{ name: 'finds its webhook again', method: 'GET', path: '/api/v1/stores/{storeId}/webhooks/{webhookId}' },
  expect: { status: 200, reads: [has('', 'filled'), equals('enabled', true)] },
};

/** Looked up by the ids of version 1 as names of an object: BTC, BTC-LightningNetwork, LTC, XMR. A list has none, which is no error. */
const coins: RecordedRequest = {
  ...{ name: 'looks which coins the store has', method: 'GET', path: '/api/v1/stores/{storeId}/payment-methods' },
  expect: { status: 200, reads: [has('', 'filled')] },
};

/** The amount is a JSON number. */
const sell: RecordedRequest = {
  ...{ name: 'makes an invoice for the order', method: 'POST', path: '/api/v1/stores/{storeId}/invoices' },
  headers: { 'content-type': 'application/json' },
  body: {
    ...{ amount: 10.5, currency: 'EUR' },
    metadata: {
      ...{ orderId: '0189c2f5a1b27c3d8e4f5a6b7c8d9e0f', orderNumber: '10017' },
      transactionId: '0189c2f5a1b27c3d8e4f5a6b7c8d9e10',
    },
    checkout: {
      redirectURL: '{shopUrl}/checkout/finish?orderId=0189c2f5a1b27c3d8e4f5a6b7c8d9e0f',
      redirectAutomatically: true,
    },
  },
  expect: {
    status: 200,
    reads: [matches('checkoutLink', '^https?://')],
    keeps: { invoiceId: 'id', checkoutLink: 'checkoutLink' },
  },
};

const invoice = (name: string, reads: Read[]): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/invoices/{invoiceId}' },
  expect: {
    status: 200,
    reads: [
      ...[has('status', 'string'), has('additionalStatus', 'string'), equals('metadata.orderNumber', '10017')],
      ...[equals('metadata.transactionId', '0189c2f5a1b27c3d8e4f5a6b7c8d9e10'), ...reads],
    ],
  },
});

const connected: Step[] = [{ authorize: true }, ...[tryKey, register, webhook, coins].map((request) => ({ request }))];

const event = (type: RecordedEvent['type'], does: string, ...reads: Read[]): RecordedEvent => ({
  type,
  reads: [has('type', 'string'), has('invoiceId', 'string'), ...reads],
  does: `Reads the invoice. ${does}`,
});

export const shopware6: Plugin = {
  name: 'Shopware 6',
  repository: 'coincharge-io/CoinchargeBTCPayShopware',
  commit: 'ae77ae8497327e8e82bf7b3f003bd41858162c30',
  version: '1.1.4',
  client:
    'Guzzle, without a client library; any status under 400 is success, and a body that is not JSON is taken for an empty list',
  headers: { Authorization: 'token {apiKey}' },
  authorization: {
    path: '/api-keys/authorize/',
    query: [
      ['applicationName', 'BTCPayShopwarePlugin'],
      ...REQUIRED.map((permission): [string, string] => ['permissions', permission]),
      ...([
        ['selectiveStores', 'true'],
        ['redirect', '{shopUrl}/api/_action/coincharge/credentials'],
      ] as [string, string][]),
    ],
    returns: 'form post',
    reads: [has('apiKey', 'filled'), matches('permissions[0]', '^[^:]+:[^:]+$')],
    permissions: { required: REQUIRED, optional: [], others: 'accepted' },
    notes: [
      'The path ends in a slash. strict is not sent. The redirect address is put into the query as it is, without percent-encoding.',
      'The store comes from permissions[0]. Nothing is checked.',
    ],
  },
  signature: {
    header: 'btcpay-sig',
    compares: 'exact',
    notes: ['A wrong one is answered by 200 and ignored. An event without the header is an exception.'],
  },
  events: [
    event('InvoiceReceivedPayment', 'After the end: paid in part.', has('afterExpiration', 'boolean')),
    event(
      'InvoicePaymentSettled',
      'Where the invoice is Expired, it is asked again: Settled is paid late, else paid in part.',
    ),
    event('InvoiceProcessing', 'The transaction is in process.', has('overPaid', 'boolean')),
    event('InvoiceExpired', 'Failed, or paid in part.', has('partiallyPaid', 'boolean')),
    event('InvoiceSettled', 'Paid; noted where overPaid.'),
    event('InvoiceInvalid', 'Failed.', has('manuallyMarked', 'boolean')),
  ],
  stories: [
    { name: 'connects', steps: connected },
    {
      name: 'sells: paid in full',
      steps: [
        ...[...connected, { request: sell }],
        {
          page: {
            name: 'sends the payer to the page',
            path: '{checkoutLink}',
            expect: { status: [200, 302, 303, 307, 308] },
          },
        },
        { act: 'pays in full' },
        { event: 'InvoiceReceivedPayment', reads: [equals('afterExpiration', false)] },
        { event: 'InvoiceProcessing', reads: [equals('overPaid', false)] },
        { event: 'InvoiceSettled' },
        { request: invoice('finds the order by its number', [equals('status', 'Settled')]) },
      ],
    },
    {
      name: 'sells: paid late',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays late in full' as const }],
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', false)] },
        { event: 'InvoiceReceivedPayment', reads: [equals('afterExpiration', true)] },
        { event: 'InvoicePaymentSettled' },
        {
          request: invoice('asks whether it is paid', [
            among('status', 'Settled', 'Expired'),
            equals('additionalStatus', 'PaidLate'),
          ]),
        },
      ],
    },
    {
      name: 'sells: paid in part',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays a part until the end' as const }],
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', true)] },
      ],
    },
    {
      name: 'sells: the merchant marks the invoice invalid',
      steps: [
        ...[...connected, { request: sell }, { act: 'merchant marks invalid' as const }],
        { event: 'InvoiceInvalid', reads: [equals('manuallyMarked', true)] },
      ],
    },
  ],
  former: [
    {
      ...{
        name: 'makes an invoice for chosen coins, by their former ids',
        method: 'POST',
        path: '/api/v1/stores/{storeId}/invoices',
      },
      headers: { 'content-type': 'application/json' },
      body: {
        ...{ amount: 10.5, currency: 'EUR', metadata: { orderId: '1', orderNumber: '1', transactionId: '1' } },
        checkout: {
          redirectURL: '{shopUrl}/',
          redirectAutomatically: true,
          paymentMethods: ['BTC', 'BTC-LightningNetwork', 'BTC-LNURLPAY'],
        },
      },
      expect: { status: 200, reads: [matches('checkoutLink', '^https?://')] },
    },
  ],
  notes: [
    'The amount is a JSON number with the digits that PHP prints, such as 10.5 or 19.989999999999998.',
    'Coins are named as in version 1: BTC is BTC-CHAIN, BTC-LightningNetwork is BTC-LN, BTC-LNURLPAY is BTC-LNURL. Version 2 of BTCPay Server still takes these names.',
    'There is no refund.',
  ],
};
