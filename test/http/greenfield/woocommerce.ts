import {
  COIN_OF_INVOICE,
  GREENFIELD_PHP,
  PHP_HEADERS,
  checkout,
  paymentAt,
  pullPayment,
  storeCoins,
} from './greenfield-php.ts';
import { above, among, contains, equals, has, matches } from './recorded.ts';
import type { Plugin, Read, RecordedRequest, Step } from './recorded.ts';

const EVENTS = [
  'InvoiceReceivedPayment',
  'InvoicePaymentSettled',
  'InvoiceProcessing',
  'InvoiceExpired',
  'InvoiceSettled',
  'InvoiceInvalid',
];
const REQUIRED = [
  ...['btcpay.store.canviewinvoices', 'btcpay.store.cancreateinvoice'],
  ...['btcpay.store.canviewstoresettings', 'btcpay.store.canmodifyinvoices'],
];
const OPTIONAL = ['btcpay.store.cancreatenonapprovedpullpayments', 'btcpay.store.webhooks.canmodifywebhooks'];

/** `[0]` is split at its colon for the store's id, and every other one must name the same store. */
const keyOfOneStore: Read[] = [
  has('apiKey', 'string'),
  has('permissions', 'array'),
  matches('permissions[]', '^btcpay\\.store\\.[a-z.]+:[^:]+$'),
];

const key: RecordedRequest = {
  ...{
    name: 'checks the key: permissions of one store, and no others than asked for',
    method: 'GET',
    path: '/api/v1/api-keys/current',
  },
  expect: {
    status: 200,
    reads: [
      ...keyOfOneStore,
      ...REQUIRED.map((permission) => equals('permissions[?]', `${permission}:{storeId}`)),
      among('permissions[]', ...[...REQUIRED, ...OPTIONAL].map((permission) => `${permission}:{storeId}`)),
    ],
  },
};

const server: RecordedRequest = {
  ...{
    name: 'checks the server: synchronised, and version 1.7.6 or later for refunds',
    method: 'GET',
    path: '/api/v1/server/info',
  },
  expect: {
    status: 200,
    reads: [equals('fullySynched', true), matches('version', '^([2-9]|1\\.([89]|[1-9][0-9]|7\\.([6-9]|[1-9][0-9])))')],
  },
};

const stores: RecordedRequest = {
  ...{ name: 'tries the key that came: the list of stores is not empty', method: 'GET', path: '/api/v1/stores' },
  expect: { status: 200, reads: [has('', 'filled'), has('[]', 'object')] },
};

const register: RecordedRequest = {
  ...{
    name: 'registers its webhook; the server makes the secret',
    method: 'POST',
    path: '/api/v1/stores/{storeId}/webhooks',
  },
  body: {
    ...{ enabled: true, automaticRedelivery: true, url: '{webhookUrl}' },
    authorizedEvents: { everything: false, specificEvents: EVENTS },
  },
  expect: {
    status: 200,
    reads: [has('id', 'filled'), has('secret', 'filled'), equals('url', '{webhookUrl}')],
    keeps: { webhookId: 'id', webhookSecret: 'secret' },
  },
};

const webhook: RecordedRequest = {
  ...{
    name: 'finds its webhook again when the settings are saved',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/webhooks/{webhookId}',
  },
  expect: { status: 200, reads: [equals('id', '{webhookId}'), contains('url', '{webhookUrl}')] },
};

const update: RecordedRequest = {
  ...{
    name: 'changes its webhook in an upgrade',
    method: 'PUT',
    path: '/api/v1/stores/{storeId}/webhooks/{webhookId}',
  },
  body: {
    ...{ enabled: true, automaticRedelivery: true, url: '{webhookUrl}', secret: '{webhookSecret}' },
    authorizedEvents: { everything: false, specificEvents: EVENTS },
  },
  expect: { status: 200, reads: [has('', 'object')] },
};

const sell: RecordedRequest = {
  ...{ name: 'makes an invoice for the order', method: 'POST', path: '/api/v1/stores/{storeId}/invoices' },
  body: {
    ...{ amount: '10.00', currency: 'EUR' },
    metadata: {
      taxIncluded: '1.60',
      posData:
        '{"WooCommerce":{"Order ID":17,"Order Number":"17","Order URL":"{shopUrl}/wp-admin/post.php?post=17","Plugin Version":"2.8.0"}}',
      orderUrl: '{shopUrl}/wp-admin/post.php?post=17&action=edit',
      orderId: '17',
    },
    checkout: checkout({
      redirectURL: '{shopUrl}/checkout/order-received/17/?key=wc_order_1',
      paymentMethods: ['{coin_}'],
    }),
  },
  expect: {
    status: 200,
    reads: [has('id', 'filled'), matches('checkoutLink', '^https?://.+/i/[^/]+$')],
    keeps: { invoiceId: 'id', checkoutLink: 'checkoutLink' },
  },
};

const coins = storeCoins('lists the coins, and keeps each id with _ for -: letters, digits, - and _ alone survive', [
  matches('[].paymentMethodId', '^[A-Za-z0-9_-]+$'),
]);
coins.expect.keeps = { coin: '[0].paymentMethodId' };

/** Read after each payment. The coin's id becomes part of a name that the list of orders looks for: `BTC-LN`. */
const payments: RecordedRequest = {
  ...{
    name: 'keeps what was paid with the order',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/invoices/{invoiceId}/payment-methods',
  },
  expect: {
    status: 200,
    reads: [...COIN_OF_INVOICE, above('[?].paymentMethodPaid', 0), ...paymentAt('[?].payments[0]')],
  },
};

const invoice = (name: string, reads: Read[]): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/invoices/{invoiceId}' },
  expect: { status: 200, reads },
});

const fullyPaid = (paid: boolean): RecordedRequest =>
  invoice('asks whether an order that was expired is now paid', [
    ...[has('status', 'string'), has('additionalStatus', 'string')],
    // Status Settled or additional status PaidLate counts as paid; paid late is always the latter.
    ...(paid
      ? [equals('additionalStatus', 'PaidLate')]
      : [among('status', 'New', 'Processing', 'Expired', 'Invalid'), equals('additionalStatus', 'PaidPartial')]),
  ]);

/** The coins that refunds are not offered in are taken out of the list; the ids have `_` for `-`. */
const refund: RecordedRequest = {
  ...{
    name: 'refunds a part of an order by a pull payment',
    method: 'POST',
    path: '/api/v1/stores/{storeId}/pull-payments',
  },
  body: pullPayment({ name: 'Refund of order 17; came broken', amount: '4.00', currency: 'EUR', coins: ['{coin_}'] }),
  expect: {
    status: 200,
    reads: [has('id', 'string'), matches('viewLink', '^https?://')],
    keeps: { pullPaymentId: 'id', viewLink: 'viewLink' },
  },
};

const connected: Step[] = [{ authorize: true }, { request: stores }, { request: register }, { request: coins }];

export const woocommerce: Plugin = {
  name: 'WooCommerce',
  repository: 'btcpayserver/woocommerce-greenfield-plugin',
  commit: '2a8fd7091d5f0d1cb47a9ecc359efe8af9c92526',
  version: '2.8.0',
  client: GREENFIELD_PHP,
  headers: PHP_HEADERS,
  authorization: {
    path: '/api-keys/authorize',
    query: [
      ...[...REQUIRED, ...OPTIONAL].map((permission): [string, string] => ['permissions', permission]),
      ...([
        ['applicationName', 'WooCommerce'],
        ['strict', 'true'],
        ['selectiveStores', 'true'],
      ] as [string, string][]),
      ['redirect', '{shopUrl}/?btcpay-settings-callback'],
    ],
    returns: 'form post',
    reads: [...keyOfOneStore, matches('apiKey', '^[A-Za-z0-9_-]+$')],
    permissions: { required: REQUIRED, optional: OPTIONAL, others: 'refused' },
    notes: [
      'Names in the query are repeated, without brackets. Those of the form have brackets: permissions[]=permission:store.',
      'Of the key only letters, digits, - and _ survive; a key with any other character is cut and then does not work.',
      'The key is tried by GET stores before the form is accepted, from the shop, while the browser waits.',
      'applicationIdentifier is not sent. userId is not read.',
      'The redirect address has a query of its own with a name and no value, which must be kept as it is.',
    ],
  },
  signature: {
    header: 'BTCPay-Sig',
    compares: 'exact',
    notes: ['The name of the header is compared without case.', 'A wrong or missing signature is answered by 500.'],
  },
  events: [
    {
      type: 'InvoiceReceivedPayment',
      reads: [has('invoiceId', 'string'), has('afterExpiration', 'boolean')],
      does: 'After the end: the order becomes failed (paid in part after expiry). Before it: a note. Then it reads the payments.',
    },
    {
      type: 'InvoicePaymentSettled',
      reads: [has('invoiceId', 'string')],
      does: 'Where the order is expired, it reads the invoice: Settled or PaidLate makes it paid late, anything else paid in part. Then it reads the payments.',
    },
    {
      type: 'InvoiceProcessing',
      reads: [has('invoiceId', 'string'), has('overPaid', 'boolean')],
      does: 'The order becomes on hold: it is paid in full and waits for confirmations. overPaid changes the note.',
    },
    {
      type: 'InvoiceExpired',
      reads: [has('invoiceId', 'string'), has('partiallyPaid', 'boolean')],
      does: 'The order becomes cancelled, or failed where it was paid in part.',
    },
    {
      type: 'InvoiceSettled',
      reads: [has('invoiceId', 'string'), has('overPaid', 'boolean')],
      does: 'Payment complete: the order goes on, with a state of its own where overPaid. Then it reads the payments.',
    },
    {
      type: 'InvoiceInvalid',
      reads: [has('invoiceId', 'string'), has('manuallyMarked', 'boolean')],
      does: 'The order becomes failed.',
    },
  ],
  stories: [
    {
      name: 'connects, and saves its settings',
      steps: [...connected, { request: key }, { request: server }, { request: webhook }, { request: update }],
    },
    {
      name: 'sells: paid in full',
      steps: [
        ...connected,
        { request: sell },
        {
          page: {
            name: 'sends the payer to the page',
            path: '{checkoutLink}',
            expect: { status: [200, 302, 303, 307, 308] },
          },
        },
        {
          page: {
            name: 'or opens it in a frame by this script',
            path: '/modal/btcpay.js',
            expect: { status: 200, contentType: 'javascript' },
          },
        },
        { act: 'pays in full' },
        { event: 'InvoiceReceivedPayment', reads: [equals('afterExpiration', false)] },
        { event: 'InvoiceProcessing', reads: [equals('overPaid', false)] },
        { event: 'InvoicePaymentSettled' },
        { event: 'InvoiceSettled', reads: [equals('overPaid', false)] },
        { request: payments },
      ],
    },
    {
      name: 'sells: the payer comes back to an invoice that is open',
      steps: [
        ...connected,
        { request: sell },
        {
          request: invoice('uses the invoice again unless it ended; its coins are those asked for, with _ for -', [
            ...[among('status', 'New', 'Processing', 'Settled'), has('checkout.paymentMethods', 'array')],
            matches('checkout.paymentMethods[]', '^[A-Za-z0-9_-]+$'),
          ]),
        },
        {
          request: {
            ...{ name: 'ends it when the payer chose another coin', method: 'POST' },
            ...{ path: '/api/v1/stores/{storeId}/invoices/{invoiceId}/status', body: { status: 'Invalid' } },
            expect: { status: 200, reads: [has('', 'object')] },
          },
        },
        { event: 'InvoiceInvalid', reads: [equals('manuallyMarked', true)] },
      ],
    },
    {
      name: 'sells: paid late',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays late in full' as const }],
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', false)] },
        { event: 'InvoiceReceivedPayment', reads: [equals('afterExpiration', true)] },
        { event: 'InvoicePaymentSettled' },
        { request: fullyPaid(true) },
        { request: payments },
      ],
    },
    {
      name: 'sells: paid in part',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays a part until the end' as const }],
        { event: 'InvoiceReceivedPayment', reads: [equals('afterExpiration', false)] },
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', true)] },
        { request: fullyPaid(false) },
      ],
    },
    {
      name: 'sells: paid too much, and refunded',
      steps: [
        ...[...connected, { request: sell }, { act: 'pays too much' as const }],
        { event: 'InvoiceSettled', reads: [equals('overPaid', true)] },
        { request: payments },
        { act: 'payment becomes final' as const },
        ...[{ request: server }, { request: key }, { request: refund }],
        {
          page: {
            name: 'gives the payer the link of the refund',
            path: '{viewLink}',
            expect: { status: [200, 302, 303, 307, 308] },
          },
        },
        ...[{ act: 'payer claims the refund' as const }, { act: 'merchant approves the refund' as const }],
      ],
    },
    {
      name: 'sells: never paid',
      steps: [
        ...connected,
        { request: sell },
        { act: 'never pays' },
        { event: 'InvoiceExpired', reads: [equals('partiallyPaid', false)] },
      ],
    },
    {
      name: 'sells: the merchant marks the invoice invalid',
      steps: [
        ...connected,
        { request: sell },
        { act: 'merchant marks invalid' },
        { event: 'InvoiceInvalid', reads: [equals('manuallyMarked', true)] },
      ],
    },
  ],
  former: [],
  notes: [
    'A coin is asked for with _ for -: BTC_CHAIN, BTC_LN. The server takes either. Answers have -, since BTC-LN is looked for by name.',
    'With a gateway of its own for each coin, checkout.paymentMethods must be exactly the coins asked for (compared sorted, with _ for -); else the invoice is marked invalid and made anew.',
    'An amount in satoshi is asked for in BTC with eight places.',
    'The script /modal/btcpay.js has window.btcpay with setApiUrlPrefix, showInvoice, hideFrame and onModalReceiveMessage. Messages are {invoiceId, status}, whose status in lower case is complete, paid, processing, settled, expired or invalid, or the text "close".',
    'In the list of orders the merchant gets a link to the invoice: checkoutLink with /i/ replaced by /invoices/.',
    'An event whose order is not found is answered by 200; one without invoiceId, or about several orders, by 500. A failure while the event is worked on is answered by 200, so it does not come again.',
    'The version is compared as PHP compares versions: 2.0.0 and 2.0.0-anything must be greater than 1.7.6.',
    'Refunds are offered only when the key has cancreatenonapprovedpullpayments; the name of the pull payment has at most 50 characters.',
  ],
};
