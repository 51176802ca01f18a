import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { checkLedger, NO_REFUNDS } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { connectShop, refusedAs, refusedFields, successOf } from '../support/greenfield.ts';
import type { Record_, TestShop } from '../support/greenfield.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';

interface Received {
  readonly path: string;
  readonly signature: string;
  readonly text: string;
  readonly body: Record_;
}

const SECRET = '0123456789abcdef0123456789abcdef';
const USDT = { chain: 'ETH', currency: 'USDT-ERC20' };

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  let received: Received[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const signature = String(request.headers['btcpay-sig']);
      received.push({ path: request.url ?? '', signature, text, body: JSON.parse(text) as Record_ });
      response.writeHead(status).end();
    });
  });
  let url = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    store = await open();
    till = await startTestTill(store);
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    received = [];
    status = 200;
  });

  const register = async (shop: TestShop, fields: object = {}): Promise<Record_> =>
    successOf(await shop.client.post(`${shop.path}/webhooks`, { url: `${url}/hook`, secret: SECRET, ...fields }));
  const sell = async (shop: TestShop, coin = USDT): Promise<string> => {
    const body = { amount: '10.00', currency: 'EUR', metadata: { orderId: '17', n: 1 } };
    const { id } = successOf(await shop.client.post(`${shop.path}/invoices`, body));
    dataOf(await till.client.post(`/checkout/${String(id)}/choice`, coin));
    return String(id);
  };
  const pay = async (id: string, amount?: string): Promise<void> => {
    const order = await store.storage.orders.findByCheckoutToken(id);
    dataOf(await till.client.post('/sandbox/v1/pay', { order_id: order?.id, ...(amount && { amount }) }));
  };
  const mine = async (count: number): Promise<void> => {
    dataOf(await till.client.post('/sandbox/v1/blocks', { count }));
  };
  const types = (): readonly unknown[] => received.map(({ body }) => body['type']);
  const lastOf = (type: string): Record_ => received.findLast(({ body }) => body['type'] === type)?.body ?? {};
  const hooksOf = (shop: TestShop): string => `${shop.path}/webhooks`;

  describe('webhooks of shop plugins', () => {
    test('a sale from the invoice to its settlement, each event signed over its raw body', async () => {
      const shop = await connectShop(till);
      const hook = await register(shop);
      assert.equal(hook['secret'], SECRET);
      const id = await sell(shop);
      await till.work();
      await pay(id);
      await till.work();
      assert.deepEqual(types(), [
        'InvoiceCreated',
        'InvoiceReceivedPayment',
        'InvoiceProcessing',
        'InvoicePaymentSettled',
        'InvoiceSettled',
      ]);
      for (const { text, signature, body } of received) {
        assert.equal(signature, `sha256=${createHmac('sha256', SECRET).update(text).digest('hex')}`);
        const { webhookId, storeId, invoiceId, metadata, isRedelivery, deliveryId, originalDeliveryId } = body;
        assert.deepEqual(
          { webhookId, storeId, invoiceId, metadata, isRedelivery, originalDeliveryId },
          {
            webhookId: hook['id'],
            storeId: shop.id,
            invoiceId: id,
            metadata: { orderId: '17', n: 1 },
            isRedelivery: false,
            originalDeliveryId: deliveryId,
          },
        );
        assert.equal(typeof body['timestamp'], 'number');
      }
      assert.equal(lastOf('InvoiceProcessing')['overPaid'], false);
      const settled = lastOf('InvoiceSettled');
      assert.deepEqual([settled['manuallyMarked'], settled['overPaid']], [false, false]);
      const paid = lastOf('InvoiceReceivedPayment');
      assert.deepEqual([paid['afterExpiration'], paid['paymentMethodId']], [false, 'USDT-ERC20-CHAIN']);
      assert.match(String((paid['payment'] as Record_)['value']), /^\d+/);
      assert.equal(new Set(received.map(({ body }) => body['deliveryId'])).size, received.length);
    });

    test('too little, too late, too much, nothing, and the shop’s own word', async () => {
      const shop = await connectShop(till);
      await register(shop, { authorizedEvents: { everything: true } });
      const [part, late, never] = [await sell(shop), await sell(shop), await sell(shop)];
      const eventsOf = (id: string) => received.filter(({ body }) => body['invoiceId'] === id).map(({ body }) => body);
      const typesOf = (id: string) => eventsOf(id).map(({ type }) => type);
      await pay(part, '1');
      await till.work();
      till.clock.advance(31 * 60_000);
      await mine(1);
      await till.work();
      assert.deepEqual(typesOf(part), [
        'InvoiceCreated',
        'InvoiceReceivedPayment',
        'InvoicePaymentSettled',
        'InvoiceExpired',
      ]);
      assert.equal(eventsOf(part).at(-1)?.['partiallyPaid'], true);
      assert.deepEqual(typesOf(never), ['InvoiceCreated', 'InvoiceExpired']);
      assert.equal(eventsOf(never).at(-1)?.['partiallyPaid'], false);
      await pay(late);
      await till.work();
      const [, expired, seen, credited, settled, ...others] = eventsOf(late);
      assert.deepEqual(others, []);
      assert.deepEqual(
        [expired?.['type'], credited?.['type'], settled?.['type']],
        ['InvoiceExpired', 'InvoicePaymentSettled', 'InvoiceSettled'],
      );
      assert.deepEqual([seen?.['type'], seen?.['afterExpiration']], ['InvoiceReceivedPayment', true]);
      successOf(await shop.client.post(`${shop.path}/invoices/${never}/status`, { status: 'Settled' }));
      await till.work();
      assert.equal(eventsOf(never).at(-1)?.['manuallyMarked'], true);
      const over = await sell(shop);
      await pay(over, '100');
      await till.work();
      assert.equal(eventsOf(over).at(-1)?.['overPaid'], true);
      const ended = await sell(shop);
      successOf(await shop.client.post(`${shop.path}/invoices/${ended}/status`, { status: 'Invalid' }));
      await till.work();
      const last = eventsOf(ended).at(-1);
      assert.deepEqual([last?.['type'], last?.['manuallyMarked']], ['InvoiceInvalid', true]);
    });

    test('goes by what it subscribed to, and nothing of it to another account or while it is off', async () => {
      const [shop, other] = [await connectShop(till), await connectShop(till)];
      const specific = { everything: false, specificEvents: ['InvoiceSettled', 'PaymentRequestUpdated'] };
      const hook = await register(shop, { authorizedEvents: specific });
      assert.deepEqual(hook['authorizedEvents'], specific);
      await register(other, { url: `${url}/other` });
      const id = await sell(shop);
      await pay(id);
      await till.work();
      assert.deepEqual(types(), ['InvoiceSettled']);
      const path = `${hooksOf(shop)}/${String(hook['id'])}`;
      const put = (fields: object) => shop.client.request('PUT', path, { body: { url: `${url}/moved`, ...fields } });
      assert.equal(successOf(await put({ enabled: false }))['enabled'], false);
      await sell(shop);
      await till.work();
      assert.deepEqual(types(), ['InvoiceSettled']);
      const changed = successOf(await put({ secret: 'another secret of the shop' }));
      assert.deepEqual([changed['enabled'], changed['url']], [true, `${url}/moved`]);
      assert.ok(!('secret' in changed));
      await sell(shop);
      await till.work();
      const [created] = received.slice(1);
      assert.deepEqual([created?.path, created?.body['type']], ['/moved', 'InvoiceCreated']);
      const { text = '', signature } = created ?? {};
      assert.equal(
        signature,
        `sha256=${createHmac('sha256', 'another secret of the shop').update(text).digest('hex')}`,
      );
      assert.deepEqual(successOf(await shop.client.request('DELETE', path)), {});
      refusedAs(await shop.client.get(path), 404, 'webhook-not-found');
      assert.deepEqual(successOf(await shop.client.get(hooksOf(shop))), []);
    });

    test('what it asks for is checked by name, and its address as that of any webhook', async () => {
      const shop = await connectShop(till);
      const refused = async (fields: object, path: string): Promise<void> =>
        assert.deepEqual(refusedFields(await shop.client.post(hooksOf(shop), { url: `${url}/hook`, ...fields })), [
          path,
        ]);
      await refused({ url: null }, 'url');
      await refused({ url: 'file:///etc/passwd' }, 'url');
      await refused({ url: 'http://user:pass@shop.example/' }, 'url');
      await refused({ secret: 'short' }, 'secret');
      await refused({ secret: 'x'.repeat(300) }, 'secret');
      await refused({ secret: `long enough\n${'x'.repeat(20)}` }, 'secret');
      await refused({ authorizedEvents: { everything: false, specificEvents: [] } }, 'authorizedEvents.specificEvents');
      await refused({ authorizedEvents: { specificEvents: ['NoSuchEvent'] } }, 'authorizedEvents.specificEvents.0');
      await refused({ authorizedEvents: { specificEvents: ['order.*'] } }, 'authorizedEvents.specificEvents.0');
      const made = await register(shop, { secret: null });
      assert.ok(String(made['secret']).length >= 20, 'the till makes a secret');
      for (let more = 1; more < 16; more++) await register(shop);
      refusedAs(await shop.client.post(hooksOf(shop), { url }), 409, 'state-conflict');
    });

    test('outside of the sandbox neither http nor a private address is taken', async (t) => {
      const other = await open(t);
      const strict = await startTestTill(other, { settings: { callbacks: { allowPrivateNetworks: false } } });
      try {
        const shop = await connectShop(strict);
        for (const bad of ['http://shop.example/hook', 'https://127.0.0.1/hook', 'https://169.254.169.254/hook'])
          assert.deepEqual(refusedFields(await shop.client.post(hooksOf(shop), { url: bad })), ['url'], bad);
        successOf(await shop.client.post(hooksOf(shop), { url: 'https://shop.example/hook' }));
      } finally {
        await strict.close();
      }
    });

    test('a failed delivery is repeated on the schedule of the till, and listed with its outcome', async () => {
      const shop = await connectShop(till);
      const hook = await register(shop, { authorizedEvents: { specificEvents: ['InvoiceCreated'] } });
      status = 500;
      await sell(shop);
      await till.work();
      const path = `${hooksOf(shop)}/${String(hook['id'])}/deliveries`;
      const list = async (): Promise<readonly Record_[]> => successOf(await shop.client.get(path));
      const [failed] = await list();
      assert.deepEqual([failed?.['status'], failed?.['httpCode']], ['HttpError', 500]);
      status = 200;
      till.clock.advance(3_600_000);
      await till.work();
      assert.deepEqual(types(), ['InvoiceCreated', 'InvoiceCreated']);
      assert.equal(received[0]?.text, received[1]?.text, 'it is the same delivery');
      const [delivered, ...others] = await list();
      assert.deepEqual(others, []);
      assert.deepEqual([delivered?.['status'], delivered?.['id']], ['HttpSuccess', failed?.['id']]);

      const one = `${path}/${String(delivered?.['id'])}`;
      assert.deepEqual(successOf(await shop.client.get(`${one}/request`)), received[0]?.body);
      const again = successOf<string>(await shop.client.post(`${one}/redeliver`, undefined));
      await till.work();
      const body = received[2]?.body ?? {};
      assert.deepEqual(
        [body['deliveryId'], body['originalDeliveryId'], body['isRedelivery'], body['type']],
        [again, delivered?.['id'], true, 'InvoiceCreated'],
      );
      assert.equal((await list()).length, 2);
      assert.equal((await list())[0]?.['id'], again);
    });

    test('another account and another endpoint of the account reach nothing of it (fault 472)', async () => {
      const [shop, other] = [await connectShop(till), await connectShop(till)];
      const hook = await register(shop);
      await sell(shop);
      await till.work();
      const id = String(hook['id']);
      const [delivery] = successOf<Record_[]>(await shop.client.get(`${hooksOf(shop)}/${id}/deliveries`));
      const theirs = await register(other);
      for (const path of [id, `${id}/deliveries`, `${id}/deliveries/${String(delivery?.['id'])}`])
        refusedAs(
          await other.client.get(`${hooksOf(other)}/${path}`),
          404,
          path.split('/').length > 2 ? 'webhookdelivery-not-found' : 'webhook-not-found',
        );
      const mixed = `${hooksOf(other)}/${String(theirs['id'])}/deliveries/${String(delivery?.['id'])}`;
      refusedAs(await other.client.post(`${mixed}/redeliver`, undefined), 404, 'webhookdelivery-not-found');
      const second = await register(shop, { enabled: false });
      const ofFirst = `${hooksOf(shop)}/${String(second['id'])}/deliveries/${String(delivery?.['id'])}`;
      refusedAs(await shop.client.get(ofFirst), 404, 'webhookdelivery-not-found');
      const actor = { accountId: shop.merchant.account.id, role: 'user', ip: null, traceId: null } as const;
      const own = await till.till.manage.webhooks.create(actor, { url: `${url}/own`, events: ['order.*'] });
      refusedAs(await shop.client.get(`${hooksOf(shop)}/${own.endpoint.id}`), 404, 'webhook-not-found');
      refusedAs(await shop.client.request('DELETE', `${hooksOf(shop)}/${own.endpoint.id}`), 404, 'webhook-not-found');
      received = [];
      await sell(shop);
      await till.work();
      const bodies = received.map(({ path, body }) => [path, body['type']]);
      assert.deepEqual(
        bodies.sort(),
        [
          ['/hook', 'InvoiceCreated'],
          ['/own', 'order.created'],
        ],
        'each endpoint has its own form',
      );
      const limited = await connectShop(till, ['btcpay.store.canviewinvoices'], shop.merchant);
      refusedAs(await limited.client.get(hooksOf(shop)), 403, 'missing-permission');
    });

    test('an event of a change that is rolled back is never written', async () => {
      const shop = await connectShop(till);
      await register(shop);
      const id = await sell(shop);
      await till.work();
      received = [];
      const order = await store.storage.orders.findByCheckoutToken(id);
      assert.ok(order !== null);
      const undone = store.storage.transaction(async (tx) => {
        const locked = await tx.orders.lock(order.id);
        assert.ok(locked !== null);
        await tx.orders.move(order.id, 'PENDING', 'TERMINATED', { updatedAt: till.clock.now() });
        tx.record({
          type: 'order.moved',
          order: { ...locked, status: 'TERMINATED' },
          deposits: [],
          refunds: NO_REFUNDS,
          transition: { rule: 'cancelled', from: ['PENDING'], to: 'TERMINATED', event: null },
        });
        throw new Error('rolled back');
      });
      await assert.rejects(undone, /rolled back/);
      await till.work();
      assert.deepEqual(types(), []);
    });
  });
});
