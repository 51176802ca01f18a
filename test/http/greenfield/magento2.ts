import { COIN_OF_INVOICE, GREENFIELD_PHP, PHP_HEADERS, checkout, storeCoins } from './greenfield-php.ts';
import { above, among, equals, has, matches } from './recorded.ts';
import type { Plugin, Read, RecordedRequest, Step } from './recorded.ts';

const REQUIRED = [
  ...['btcpay.store.canviewinvoices', 'btcpay.store.cancreateinvoice', 'btcpay.store.webhooks.canmodifywebhooks'],
  ...['btcpay.store.canviewstoresettings', 'btcpay.store.canmodifyinvoices'],
];
const SECRET = 'a3f5c1d2e4b6978800112233445566778899aabbccddeeff0011223344556677';

/** Every page that offers the payment checks this: the two sorted lists must be the same, with the store's id at each. */
const key: RecordedRequest = {
  ...{ name: 'checks the key: exactly the five permissions', method: 'GET', path: '/api/v1/api-keys/current' },
  expect: {
    status: 200,
    reads: [
      has('permissions', 'array'),
      ...REQUIRED.map((permission) => equals('permissions[?]', `${permission}:{storeId}`)),
      among('permissions[]', ...REQUIRED.map((permission) => `${permission}:{storeId}`)),
    ],
  },
};

/** With one store in the list it is taken without asking. */
const stores: RecordedRequest = {
  ...{ name: 'lists the stores; takes the only one', method: 'GET', path: '/api/v1/stores' },
  expect: { status: 200, reads: [equals('[?].id', '{storeId}'), has('[].id', 'filled'), has('[].name', 'string')] },
};

const webhooks: RecordedRequest = {
  ...{ name: 'looks for a webhook of its address', method: 'GET', path: '/api/v1/stores/{storeId}/webhooks' },
  expect: { status: 200, reads: [has('', 'array')] },
};

const register: RecordedRequest = {
  ...{
    name: 'registers its webhook for every event, with a secret of its own',
    method: 'POST',
    path: '/api/v1/stores/{storeId}/webhooks',
  },
  body: {
    ...{ enabled: true, automaticRedelivery: true, url: '{webhookUrl}' },
    ...{ authorizedEvents: { everything: true }, secret: SECRET },
  },
  expect: { status: 200, reads: [has('', 'filled')], keeps: { webhookId: 'id', webhookSecret: 'secret' } },
};

const registered: RecordedRequest = {
  ...{
    name: 'finds it again: any other value here and the payment is not offered',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/webhooks',
  },
  expect: {
    status: 200,
    reads: [
      ...[equals('[?].url', '{webhookUrl}'), equals('[].enabled', true), equals('[].automaticRedelivery', true)],
      ...[equals('[].authorizedEvents.everything', true), has('[].id', 'filled')],
    ],
  },
};

const removeWebhook: RecordedRequest = {
  ...{
    name: 'removes the webhook of a store that it no longer uses',
    method: 'DELETE',
    path: '/api/v1/stores/{storeId}/webhooks/{webhookId}',
  },
  expect: { status: 200, reads: [] },
};

/** `magentoOrderId` and `magentoStoreId` come back as what they were sent: a string and a number. `{InvoiceId}` is for the server to replace. */
const sell: RecordedRequest = {
  ...{ name: 'makes an invoice for the order', method: 'POST', path: '/api/v1/stores/{storeId}/invoices' },
  body: {
    ...{ amount: '10.00000000', currency: 'EUR' },
    metadata: {
      ...{
        buyerName: 'A Company, A Buyer',
        buyerCountry: 'DE',
        buyerZip: '10115',
        buyerCity: 'Berlin',
        buyerState: null,
      },
      ...{
        buyerAddress1: 'A street 1',
        buyerAddress2: '',
        buyerPhone: '+49301234567',
        physical: true,
        taxIncluded: true,
      },
      ...{
        magentoOrderId: '17',
        buyerAddress3: '',
        buyerCompany: 'A Company',
        buyerFirstname: 'A',
        buyerMiddlename: null,
      },
      ...{ buyerLastname: 'Buyer', magentoStoreId: 1, orderId: '000000017', buyerEmail: 'buyer@example.com' },
    },
    checkout: checkout({
      redirectURL:
        '{shopUrl}/btcpay/redirect/returnafterpayment/orderId/17/invoiceId/{InvoiceId}/hash/ab49d6c0a6696e17cffc9ae6386be83997741a4f/',
      ...{ redirectAutomatically: true, defaultLanguage: 'de-DE' },
    }),
  },
  expect: {
    status: 200,
    reads: [
      ...[
        has('id', 'filled'),
        matches('checkoutLink', '^https?://'),
        equals('status', 'New'),
        equals('storeId', '{storeId}'),
      ],
      ...[equals('metadata.magentoStoreId', 1), equals('metadata.magentoOrderId', '17')],
    ],
    keeps: { invoiceId: 'id', checkoutLink: 'checkoutLink' },
  },
};

/** The state comes from here on each event; an order number other than its own is an error. */
const invoice = (name: string, reads: Read[]): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/invoices/{invoiceId}' },
  expect: {
    status: 200,
    reads: [
      ...[among('status', 'New', 'Processing', 'Settled', 'Expired', 'Invalid'), has('additionalStatus', 'string')],
      ...[
        equals('metadata.orderId', '000000017'),
        has('currency', 'string'),
        has('amount', 'decimal'),
        has('createdTime', 'integer'),
        ...reads,
      ],
    ],
  },
});

const byOrder = (name: string, reads: Read[]): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/invoices', query: [['orderId', '000000017']] },
  expect: {
    status: 200,
    reads: [has('', 'array'), has('[].status', 'string'), equals('[?].id', '{invoiceId}'), ...reads],
  },
});

/** All coins of the invoice must be of one currency (the text of the id before `-`), paid or not; else the event fails. */
const payments: RecordedRequest = {
  ...{
    name: 'notes what came and at which rate',
    method: 'GET',
    path: '/api/v1/stores/{storeId}/invoices/{invoiceId}/payment-methods',
  },
  expect: { status: 200, reads: [...COIN_OF_INVOICE, above('[?].totalPaid', 0)] },
};

const connected: Step[] = [
  { authorize: true },
  ...[{ ...key, name: 'tries the key', expect: { status: 200, reads: [] } }, stores, webhooks, register].map(
    (request) => ({ request }),
  ),
];
const offered: Step[] = [
  key,
  stores,
  registered,
  storeCoins('refuses a store where no coin is enabled', [equals('[?].enabled', true)]),
].map((request) => ({ request }));

const onEvent = (does: string): { reads: Read[]; does: string } => ({
  reads: [has('type', 'string'), has('invoiceId', 'string'), equals('storeId', '{storeId}')],
  does,
});

export const magento2: Plugin = {
  name: 'Magento 2',
  repository: 'btcpayserver/magento2-plugin',
  commit: '4d161f87f1eeb1c99cf6c50b1fc66d824a475325',
  version: '2.0.0',
  client: `${GREENFIELD_PHP} (the plugin asks for ^2.7)`,
  headers: PHP_HEADERS,
  authorization: {
    path: '/api-keys/authorize',
    query: [
      ...REQUIRED.map((permission): [string, string] => ['permissions', permission]),
      ...([
        ['applicationName', 'Magento 2 @ shop.example'],
        ['strict', 'true'],
        ['selectiveStores', 'true'],
      ] as [string, string][]),
      ['redirect', '{shopUrl}/btcpay/apikey/save?secret=356a192b7913b04c54574d18c28d46e6395428ab&store=1'],
      ['applicationIdentifier', 'magento2'],
    ],
    returns: 'form post',
    reads: [has('apiKey', 'filled')],
    permissions: { required: REQUIRED, optional: [], others: 'refused' },
    notes: [
      'Only apiKey is read of the form. secret comes from the query of the redirect address, which must be kept.',
      'The permissions are read by GET api-keys/current. Without :store at any of them, all stores are meant, and the list is compared without ids.',
      'A permission too many is refused as one too few: the payment is not offered, and a page says which one.',
    ],
  },
  signature: {
    header: 'BTCPay-Sig',
    compares: 'exact',
    notes: ['A wrong or missing one is an exception, answered by a status that is not 200.'],
  },
  events: [
    { type: 'InvoiceCreated', ...onEvent('Reads the invoice; a New one is noted as unknown state.') },
    {
      type: 'InvoiceReceivedPayment',
      ...onEvent('Reads the invoice and its payments and notes them; underpaid where PaidPartial.'),
    },
    { type: 'InvoicePaymentSettled', ...onEvent('Reads the invoice.') },
    { type: 'InvoiceProcessing', ...onEvent('Reads the invoice: Processing is paid, or overpaid where PaidOver.') },
    {
      type: 'InvoiceExpired',
      ...onEvent(
        'Reads the invoice: Expired cancels the order when every invoice of its number is Expired; PaidPartial only notes.',
      ),
    },
    { type: 'InvoiceSettled', ...onEvent("Reads the invoice: Settled makes the shop's own invoice, unless PaidOver.") },
    { type: 'InvoiceInvalid', ...onEvent('Reads the invoice: Invalid, by hand where Marked.') },
  ],
  stories: [
    { name: 'connects, and lets go', steps: [...connected, ...offered, { request: removeWebhook }] },
    {
      name: 'sells: paid in full',
      steps: [
        ...[...connected, ...offered, { request: sell }, { event: 'InvoiceCreated' as const }],
        {
          page: {
            name: 'sends the payer to the page',
            path: '{checkoutLink}',
            expect: { status: [200, 302, 303, 307, 308] },
          },
        },
        { act: 'pays in full' },
        { event: 'InvoiceReceivedPayment' },
        { request: payments },
        { event: 'InvoiceProcessing' },
        { event: 'InvoiceSettled' },
        {
          request: invoice('the payer is back: the order is paid', [
            equals('status', 'Settled'),
            equals('additionalStatus', 'None'),
          ]),
        },
      ],
    },
    {
      name: 'sells: the payer leaves, never pays',
      steps: [
        ...[...connected, ...offered, { request: sell }],
        { request: byOrder('cancels the order when all its invoices are New', [equals('[].status', 'New')]) },
        { act: 'never pays' },
        { event: 'InvoiceExpired' },
        { request: invoice('it is expired', [equals('status', 'Expired'), equals('additionalStatus', 'None')]) },
        { request: byOrder('cancels the order when all its invoices are Expired', [equals('[].status', 'Expired')]) },
      ],
    },
    {
      name: 'sells: paid late',
      steps: [
        ...[...connected, ...offered, { request: sell }, { act: 'pays late in full' as const }],
        { event: 'InvoiceExpired' },
        { event: 'InvoiceReceivedPayment' },
        { event: 'InvoicePaymentSettled' },
        { request: invoice('it is paid late', [equals('additionalStatus', 'PaidLate')]) },
      ],
    },
    {
      name: 'sells: paid in part',
      steps: [
        ...[...connected, ...offered, { request: sell }, { act: 'pays a part until the end' as const }],
        { event: 'InvoiceExpired' },
        {
          request: invoice('it is expired, with money in it', [
            equals('status', 'Expired'),
            equals('additionalStatus', 'PaidPartial'),
          ]),
        },
      ],
    },
    {
      name: 'sells: paid too much',
      steps: [
        ...[
          ...connected,
          ...offered,
          { request: sell },
          { act: 'pays too much' as const },
          { event: 'InvoiceSettled' as const },
        ],
        {
          request: invoice('it is paid too much', [
            equals('status', 'Settled'),
            equals('additionalStatus', 'PaidOver'),
          ]),
        },
      ],
    },
    {
      name: 'sells: marked invalid in the shop',
      steps: [
        ...[...connected, ...offered, { request: sell }],
        {
          request: {
            ...{ name: "marks the invoice from the order's page", method: 'POST' },
            ...{ path: '/api/v1/stores/{storeId}/invoices/{invoiceId}/status', body: { status: 'Invalid' } },
            expect: { status: 200, reads: [has('', 'object')] },
          },
        },
        { event: 'InvoiceInvalid' },
        { request: invoice('it is invalid', [equals('status', 'Invalid'), equals('additionalStatus', 'Marked')]) },
      ],
    },
  ],
  former: [],
  notes: [
    "The server replaces {InvoiceId} in redirectURL by the invoice's id when it sends the payer back; the shop then asks for that invoice.",
    'An invoice that can be paid in several currencies makes InvoiceReceivedPayment fail in the shop (it says so in an exception), so that the event comes again and again. Coins of one currency (BTC-CHAIN and BTC-LN) are fine.',
    'There is no refund. The merchant can also mark an invoice Settled from the order.',
    'The merchant gets a link to {baseUrl}/invoices/{invoiceId}.',
    'metadata has booleans, numbers and null; they must come back as they were sent.',
  ],
};
