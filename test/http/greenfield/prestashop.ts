import { COIN_OF_INVOICE, GREENFIELD_PHP, PHP_HEADERS, checkout, paymentAt, storeCoins } from './greenfield-php.ts';
import { among, equals, has, matches } from './recorded.ts';
import type { Plugin, Read, RecordedRequest, Step } from './recorded.ts';

const REQUIRED = [
  ...[
    'btcpay.store.canmodifystoresettings',
    'btcpay.store.webhooks.canmodifywebhooks',
    'btcpay.store.canviewstoresettings',
  ],
  ...['btcpay.store.cancreateinvoice', 'btcpay.store.canviewinvoices', 'btcpay.store.canmodifyinvoices'],
];

const keyOfOneStore: Read[] = [
  has('apiKey', 'filled'),
  has('permissions', 'array'),
  matches('permissions[]', '^btcpay\\.store\\.[a-z.]+:[^:]+$'),
];

const key: RecordedRequest = {
  ...{
    name: 'checks a key that was typed in: exactly the six permissions, of one store',
    method: 'GET',
    path: '/api/v1/api-keys/current',
  },
  expect: {
    status: 200,
    reads: [
      ...keyOfOneStore,
      ...REQUIRED.map((permission) => equals('permissions[?]', `${permission}:{storeId}`)),
      among('permissions[]', ...REQUIRED.map((permission) => `${permission}:{storeId}`)),
    ],
  },
};

const server: RecordedRequest = {
  ...{
    name: 'checks the server: version 1.7.0 or later; offers nothing while it is not synchronised',
    method: 'GET',
    path: '/api/v1/server/info',
  },
  expect: {
    status: 200,
    reads: [matches('version', '^([2-9]|1\\.([89]|[1-9][0-9]|7\\.))'), equals('fullySynched', true)],
  },
};

const store: RecordedRequest = {
  ...{ name: 'tries the connection before each action', method: 'GET', path: '/api/v1/stores/{storeId}' },
  expect: {
    status: 200,
    reads: [
      ...[
        has('name', 'string'),
        has('speedPolicy', 'string'),
        has('invoiceExpiration', 'integer'),
        has('monitoringExpiration', 'integer'),
      ],
      has('defaultCurrency', 'string'),
    ],
  },
};

const SECRET = '0123456789abcdef0123456789abcdef0123456789abcdef';

/** Every type of event is asked for. The secret is the plugin's own, and the answer must repeat it. */
const register: RecordedRequest = {
  ...{
    name: 'registers its webhook with a secret of its own',
    method: 'POST',
    path: '/api/v1/stores/{storeId}/webhooks',
  },
  body: {
    ...{ enabled: true, automaticRedelivery: true, url: '{webhookUrl}' },
    ...{ authorizedEvents: { everything: true }, secret: SECRET },
  },
  expect: {
    status: 200,
    reads: [has('id', 'filled'), equals('secret', SECRET)],
    keeps: { webhookId: 'id', webhookSecret: 'secret' },
  },
};

const webhook: RecordedRequest = {
  ...{
    name: 'looks for its webhook before each sale',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/webhooks/{webhookId}',
  },
  expect: { status: 200, reads: [has('', 'filled'), equals('enabled', true)] },
};

const removeWebhook: RecordedRequest = {
  ...{
    name: 'removes its webhook when the key is taken out',
    method: 'DELETE',
    path: '/api/v1/stores/{storeId}/webhooks/{webhookId}',
  },
  expect: { status: 200, reads: [] },
};

const noWebhook: RecordedRequest = {
  ...{
    name: 'finds no webhook after that, and makes a new one',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/webhooks/{webhookId}',
  },
  expect: { status: 404, reads: [] },
};

const sell: RecordedRequest = {
  ...{ name: 'makes an invoice for the cart', method: 'POST', path: '/api/v1/stores/{storeId}/invoices' },
  body: {
    ...{ amount: '10', currency: 'EUR' },
    metadata: {
      ...{ posData: '0cc175b9c0f1b6a831c399e269772661', itemCode: 'invoice-reference-Q2w3e4r5t6z7u8i9o0p1' },
      ...{
        itemDesc: 'Purchase from A shop',
        taxIncluded: '1.6',
        orderId: 'Q2w3e4r5t6z7u8i9o0p1',
        buyerEmail: 'buyer@example.com',
      },
    },
    checkout: checkout({
      speedPolicy: 'MediumSpeed',
      redirectURL: '{shopUrl}/module/btcpay/validation?invoice_reference=Q2w3e4r5t6z7u8i9o0p1',
    }),
  },
  expect: {
    status: 200,
    reads: [has('id', 'filled'), matches('checkoutLink', '^https?://')],
    keeps: { invoiceId: 'id', checkoutLink: 'checkoutLink' },
  },
};

/** Each event is only a sign: the state comes from here. An order made after payment takes the customer's key from `metadata.posData`. */
const invoice = (name: string, reads: Read[]): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/invoices/{invoiceId}' },
  expect: {
    status: 200,
    reads: [
      ...[has('id', 'string'), has('status', 'string'), has('additionalStatus', 'string')],
      ...[equals('metadata.posData', '0cc175b9c0f1b6a831c399e269772661'), ...reads],
    ],
  },
});

/** `value` times `rate` is worked out by bcmath, which takes no exponent. */
const payments: RecordedRequest = {
  ...{
    name: 'adds each settled payment to the order',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/invoices/{invoiceId}/payment-methods',
  },
  expect: {
    status: 200,
    reads: [...COIN_OF_INVOICE, ...paymentAt('[?].payments[0]'), equals('[?].payments[?].status', 'Settled')],
  },
};

const connected: Step[] = [
  { authorize: true },
  ...[server, storeCoins('refuses a store without coins'), register].map((request) => ({ request })),
];
const beforeSale: Step[] = [server, store, webhook, sell].map((request) => ({ request }));

const invoiceOnly = (does: string): { reads: Read[]; does: string } => ({
  reads: [has('type', 'string'), has('invoiceId', 'string')],
  does,
});

export const prestashop: Plugin = {
  name: 'PrestaShop',
  repository: 'btcpayserver/prestashop-plugin',
  commit: 'f9b2914c14230e42e14d20c8179051b48a419a59',
  version: '6.1.3',
  client: `${GREENFIELD_PHP} (the plugin asks for ^2.3.0; its lock file has 2.4.0), three attempts each`,
  headers: PHP_HEADERS,
  authorization: {
    path: '/api-keys/authorize',
    query: [
      ...REQUIRED.map((permission): [string, string] => ['permissions', permission]),
      ...([
        ['applicationName', 'A shop'],
        ['strict', 'true'],
        ['selectiveStores', 'true'],
      ] as [string, string][]),
      ...([
        ['redirect', '{shopUrl}/admin/btcpay/validate?_token=a'],
        ['applicationIdentifier', 'A shop'],
      ] as [string, string][]),
    ],
    returns: 'form post',
    reads: keyOfOneStore,
    permissions: { required: REQUIRED, optional: [], others: 'refused' },
    notes: [
      'The same link without redirect is offered too: the key is then copied by hand, and checked by GET api-keys/current.',
      'A permission too many is refused as one too few. The store comes from permissions[0].',
      'applicationIdentifier is the name of the shop: with the same one and the same redirect, a key that exists may be given again.',
    ],
  },
  signature: {
    header: 'BTCPay-Sig',
    compares: 'exact',
    notes: [
      'A wrong signature is answered by 500. A missing one is answered by 200 and ignored.',
      'Before the check the plugin asks server/info and the store.',
    ],
  },
  events: [
    { type: 'InvoiceCreated', ...invoiceOnly('Nothing.') },
    {
      type: 'InvoiceReceivedPayment',
      ...invoiceOnly(
        'Reads the invoice: waiting where paid in part, confirming where Processing, PaidLate or PaidOver, paid where settled.',
      ),
    },
    { type: 'InvoiceProcessing', ...invoiceOnly('The same as InvoiceReceivedPayment.') },
    {
      type: 'InvoicePaymentSettled',
      ...invoiceOnly('Reads the payments and adds those that are Settled to the order.'),
    },
    {
      type: 'InvoiceExpired',
      ...invoiceOnly('Reads the invoice: failed where Expired, Invalid or Marked, unless the order is paid already.'),
    },
    { type: 'InvoiceInvalid', ...invoiceOnly('The same as InvoiceExpired.') },
    {
      type: 'InvoiceSettled',
      ...invoiceOnly(
        'Reads the invoice: an error where it is still Processing; paid where Settled, PaidLate or Marked.',
      ),
    },
  ],
  stories: [
    {
      name: 'connects, and lets go',
      steps: [...connected, ...[key, store, webhook, removeWebhook, noWebhook].map((request) => ({ request }))],
    },
    {
      name: 'sells: paid in full',
      steps: [
        ...connected,
        ...beforeSale,
        { event: 'InvoiceCreated' },
        {
          page: {
            name: 'sends the payer to the page',
            path: '{checkoutLink}',
            expect: { status: [200, 302, 303, 307, 308] },
          },
        },
        { act: 'pays in full' },
        { event: 'InvoiceReceivedPayment' },
        { event: 'InvoiceProcessing' },
        { event: 'InvoicePaymentSettled' },
        { request: payments },
        { event: 'InvoiceSettled' },
        { request: invoice('the order is paid', [equals('status', 'Settled'), equals('additionalStatus', 'None')]) },
      ],
    },
    {
      name: 'sells: paid late',
      steps: [
        ...[...connected, ...beforeSale, { act: 'pays late in full' as const }],
        { event: 'InvoiceExpired' },
        { event: 'InvoiceReceivedPayment' },
        { event: 'InvoicePaymentSettled' },
        { request: payments },
        {
          request: invoice('the order is paid late', [equals('additionalStatus', 'PaidLate')]),
        },
      ],
    },
    {
      name: 'sells: paid in part',
      steps: [
        ...[...connected, ...beforeSale, { act: 'pays a part until the end' as const }],
        { event: 'InvoiceExpired' },
        {
          request: invoice('the order failed, with money in it', [
            equals('status', 'Expired'),
            equals('additionalStatus', 'PaidPartial'),
          ]),
        },
      ],
    },
    {
      name: 'sells: paid too much',
      steps: [
        ...[...connected, ...beforeSale, { act: 'pays too much' as const }],
        { event: 'InvoiceSettled' },
        {
          request: invoice('the order is paid, and says so', [
            equals('status', 'Settled'),
            equals('additionalStatus', 'PaidOver'),
          ]),
        },
      ],
    },
    {
      name: 'sells: the merchant marks the invoice invalid',
      steps: [
        ...[...connected, ...beforeSale, { act: 'merchant marks invalid' as const }],
        { event: 'InvoiceInvalid' },
        { request: invoice('the order failed', [equals('status', 'Invalid'), equals('additionalStatus', 'Marked')]) },
      ],
    },
    {
      name: 'sells: never paid, and the payer comes back',
      steps: [
        ...[...connected, ...beforeSale],
        { request: invoice('uses the invoice again', [among('status', 'New', 'Processing', 'Settled')]) },
        { act: 'never pays' },
        { event: 'InvoiceExpired' },
        {
          request: invoice('makes a new one, since it ended', [
            equals('status', 'Expired'),
            equals('additionalStatus', 'None'),
          ]),
        },
      ],
    },
  ],
  former: [
    {
      ...{
        name: 'shows the coins of the store at the payment step',
        method: 'GET',
        path: '/api/v1/stores/{storeId}/payment-methods/onchain',
      },
      expect: { status: 200, reads: [has('', 'array'), has('[].cryptoCode', 'string')] },
    },
    {
      ...{
        name: 'shows those of Lightning',
        method: 'GET',
        path: '/api/v1/stores/{storeId}/payment-methods/LightningNetwork',
      },
      expect: { status: 200, reads: [has('', 'array')] },
    },
  ],
  notes: [
    'The plugin makes no refund: the merchant does it on the server, and the plugin links to {baseUrl}/invoices/{invoiceId}. The payer gets {baseUrl}/i/{invoiceId}.',
    'At every payment step it asks for the coins by two paths of version 1 (`former`); any answer but 200 is an exception that it does not catch, so without them the payment step breaks. Version 2 of BTCPay Server answers 410 and 404.',
    'The client of its lock file (2.4.0) wants the coins of the store as an object by id, each with `data`; with the list of version 2 it throws. A build with client 2.8 or later takes both.',
    "The names of version 1 are shown in the merchant's view where they are there: paymentMethod (split at _) of an invoice's coin. Nothing depends on them.",
    'An invoiceId that contains __test__ is taken for a test and ignored.',
    'speedPolicy is HighSpeed, MediumSpeed or LowSpeed.',
  ],
};
