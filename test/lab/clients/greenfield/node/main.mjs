/** The package btcpay-greenfield-node-client does what a shop does: prints what ../greenfield.test.ts reads. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const {
  InvoicesService: invoices,
  OpenAPI,
  PullPaymentsManagementService: pullPayments,
  ServerInfoService: serverInfo,
  WebhooksService: webhooks,
} = require('btcpay-greenfield-node-client');

const { GREENFIELD_URL, GREENFIELD_KEY, GREENFIELD_STORE: storeId, GREENFIELD_HOOK: url } = process.env;
const say = (...words) => console.log(words.join(' '));

OpenAPI.BASE = GREENFIELD_URL;
OpenAPI.TOKEN = GREENFIELD_KEY;
say('version', require('btcpay-greenfield-node-client/package.json').version);

const server = await serverInfo.serverInfoGetServerInfo();
say('server', server.version, server.fullySynched);

const metadata = { orderId: 'node-1', buyer: { name: 'A Buyer', loyal: true } };
const made = await invoices.invoicesCreateInvoice({
  storeId,
  requestBody: { amount: '12.50', currency: 'EUR', metadata },
});
say('made', made.id, made.status, made.checkoutLink);
const got = await invoices.invoicesGetInvoice({ storeId, invoiceId: made.id });
say('got', got.id, got.amount, got.currency, JSON.stringify(got.metadata));
const listed = await invoices.invoicesGetInvoices({ storeId });
say('listed', listed.filter(({ id }) => id === made.id).length);
const coins = await invoices.invoicesGetInvoicePaymentMethods({ storeId, invoiceId: made.id });
say('coins', coins.length > 0 && coins.every(({ rate }) => Number(rate) > 0));
const marked = await invoices.invoicesMarkInvoiceStatus({
  storeId,
  invoiceId: made.id,
  requestBody: { status: 'Invalid' },
});
say('marked', marked.status, marked.additionalStatus);

const authorizedEvents = { everything: false, specificEvents: ['InvoiceSettled'] };
const hook = await webhooks.postWebhooksService({
  storeId,
  requestBody: { url, enabled: true, automaticRedelivery: true, authorizedEvents, secret: 'a secret of the shop' },
});
say('hook', hook.id, hook.enabled);
say('hooks', (await webhooks.webhokksGetWebhooks({ storeId })).filter(({ id }) => id === hook.id).length);
await webhooks.deleteWebhooksService({ storeId, webhookId: hook.id, requestBody: {} });
say('removed', (await webhooks.webhokksGetWebhooks({ storeId })).filter(({ id }) => id === hook.id).length);

const pull = await pullPayments.pullPaymentsCreatePullPayment({
  storeId,
  requestBody: { name: 'A refund', amount: '4.00', currency: 'EUR' },
});
say('pull', pull.id, pull.amount, pull.currency, pull.viewLink);
const pulls = await pullPayments.pullPaymentsGetPullPayments({ storeId, includeArchived: false });
say('pulls', pulls.filter(({ id }) => id === pull.id).length);

OpenAPI.TOKEN = 'a-key-of-nobody';
await invoices.invoicesGetInvoice({ storeId, invoiceId: made.id }).then(
  () => say('refused', 'no'),
  (error) => say('refused', error.status),
);
