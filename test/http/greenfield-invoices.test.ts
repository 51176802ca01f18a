import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { connectShop, refusedAs, refusedFields, SHOP_PERMISSIONS, successOf } from '../support/greenfield.ts';
import type { Record_, TestShop } from '../support/greenfield.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';

const USDT = { chain: 'ETH', currency: 'USDT-ERC20' };
const MINUTE_MS = 60_000;

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  let shop: TestShop;
  before(async () => {
    store = await open();
    till = await startTestTill(store);
    shop = await connectShop(till);
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  const create = async (fields: object = {}, by = shop): Promise<Record_> =>
    successOf(await by.client.post(`${by.path}/invoices`, { amount: '10.00', currency: 'EUR', ...fields }));
  const read = async (id: unknown, by = shop): Promise<Record_> =>
    successOf(await by.client.get(`${by.path}/invoices/${String(id)}`));
  const stateOf = async (id: unknown, by = shop): Promise<readonly unknown[]> => {
    const { status, additionalStatus } = await read(id, by);
    return [status, additionalStatus];
  };
  const methodsOf = async (id: unknown): Promise<readonly Record_[]> =>
    successOf(await shop.client.get(`${shop.path}/invoices/${String(id)}/payment-methods`));
  const orderOf = async (id: unknown) => {
    const order = await store.storage.orders.findByCheckoutToken(String(id));
    assert.ok(order !== null);
    return order;
  };
  const choose = async (id: unknown, coin = USDT): Promise<void> => {
    dataOf(await till.client.post(`/checkout/${String(id)}/choice`, coin));
  };
  const pay = async (id: unknown, amount?: string): Promise<void> => {
    dataOf(await till.client.post('/sandbox/v1/pay', { order_id: (await orderOf(id)).id, ...(amount && { amount }) }));
    await till.work();
  };
  const mark = (id: unknown, status: string) =>
    shop.client.post(`${shop.path}/invoices/${String(id)}/status`, { status });

  describe('invoices of shop plugins', () => {
    test('a sale: an invoice, its page, the choice of a coin, the payment, and the payment in its list', async () => {
      const invoice = await create({
        metadata: { orderId: '17', posData: { big: 12345678901234567890 }, taxIncluded: '1.60' },
        checkout: { redirectURL: 'https://shop.example/thanks/{OrderId}?invoice={InvoiceId}', paymentMethods: null },
      });
      const { id, status, additionalStatus, amount, currency, storeId, metadata, checkoutLink } = invoice;
      assert.deepEqual(
        { status, additionalStatus, amount, currency, storeId },
        { status: 'New', additionalStatus: 'None', amount: '10', currency: 'EUR', storeId: shop.id },
      );
      assert.match(String(id), /^[0-9a-f]{32}$/, 'the id cannot be guessed');
      assert.equal(checkoutLink, `${till.url}/i/${String(id)}`);
      assert.deepEqual(metadata, { orderId: '17', posData: { big: 12345678901234567890 }, taxIncluded: '1.60' });
      const { links } = await orderOf(id);
      assert.equal(links.succeedUrl, `https://shop.example/thanks/17?invoice=${String(id)}`);

      const offered = await methodsOf(id);
      assert.ok(offered.length >= 5);
      assert.ok(offered.every(({ activated, destination }) => activated === false && destination === ''));
      await choose(id);
      await pay(id, '1');
      assert.deepEqual(await stateOf(id), ['New', 'PaidPartial']);
      await pay(id);
      assert.deepEqual(await stateOf(id), ['Settled', 'None']);
      const [method, ...others] = await methodsOf(id);
      assert.deepEqual(others, []);
      assert.deepEqual([method?.['paymentMethodId'], method?.['currency']], ['USDT-ERC20-CHAIN', 'USDT']);
      assert.deepEqual([method?.['paymentMethodPaid'], method?.['due']], [method?.['amount'], '0']);
      const payments = method?.['payments'] as readonly Record_[];
      assert.deepEqual(
        payments.map(({ status: of, value }) => [of, value]),
        [
          ['Settled', '1'],
          ['Settled', payments[1]?.['value']],
        ],
      );
      assert.match(String(payments[0]?.['id']), /^0x[0-9a-f]{64}-/);
      const { paidAmount } = await read(id);
      assert.equal(paidAmount, '10');
    });

    test('the metadata comes back as it was sent, digit by digit, also after it was replaced', async () => {
      const text = '{"orderId":"A-1","n":123456789012345678901234567890,"deep":{"list":[1.10,null,{"x":"ä"}]}}';
      const sent = await shop.client.post(
        `${shop.path}/invoices`,
        `{"amount":"5","currency":"USD","metadata":${text}}`,
        {
          headers: { 'Content-Type': 'application/json' },
        },
      );
      assert.ok(sent.text.includes(`"metadata":${text}`), sent.text);
      const { id } = successOf(sent);
      const other = '{"orderId":7,"n":0.10}';
      const changed = await shop.client.request('PUT', `${shop.path}/invoices/${String(id)}`, {
        body: `{"metadata":${other}}`,
        headers: { 'Content-Type': 'application/json' },
      });
      assert.ok(changed.text.includes(`"metadata":${other}`), changed.text);
      const found = successOf<Record_[]>(await shop.client.get(`${shop.path}/invoices?orderId=7`));
      assert.deepEqual(
        found.map((each) => each['id']),
        [id],
      );
    });

    test('terms that the till has are kept, and each that it cannot keep is refused by its name', async () => {
      const checkout = {
        expirationMinutes: 15,
        paymentTolerance: 1.5,
        monitoringMinutes: 60,
        speedPolicy: 'HighSpeed',
      };
      const { id, checkout: kept } = await create({ checkout });
      const order = await orderOf(id);
      assert.deepEqual([order.expiresAt - order.createdAt, order.toleranceBps], [15 * MINUTE_MS, 150]);
      const { speedPolicy, expirationMinutes, paymentTolerance } = kept as Record_;
      assert.deepEqual([speedPolicy, expirationMinutes, paymentTolerance], ['HighSpeed', 15, 1.5]);
      const refused = async (fields: object, ...paths: readonly string[]): Promise<void> =>
        assert.deepEqual(
          refusedFields(await shop.client.post(`${shop.path}/invoices`, { amount: '10', currency: 'EUR', ...fields })),
          paths,
        );
      await refused({ checkout: { paymentTolerance: 6 } }, 'checkout.paymentTolerance');
      await refused({ checkout: { paymentTolerance: -1 } }, 'checkout.paymentTolerance');
      await refused({ checkout: { expirationMinutes: 100_000 } }, 'checkout.expirationMinutes');
      await refused({ checkout: { monitoringMinutes: 100_000 } }, 'checkout.monitoringMinutes');
      await refused({ checkout: { redirectURL: 'javascript:alert(1)' } }, 'checkout.redirectURL');
      await refused({ checkout: { paymentMethods: ['DOGE-CHAIN'] } }, 'checkout.paymentMethods');
      await refused({ checkout: { speedPolicy: 'Warp' } }, 'checkout.speedPolicy');
      await refused(
        {
          checkout: { paymentTolerance: 6, monitoringMinutes: 1e6, redirectURL: 'ftp://x' },
          currency: 'XXX',
          amount: null,
        },
        ...['currency', 'amount', 'checkout.monitoringMinutes', 'checkout.paymentTolerance', 'checkout.redirectURL'],
      );
    });

    test('names and words are taken in any case, and a slash at the end of a path, but not inside the metadata', async () => {
      const body = {
        ...{ Amount: '10.00', CURRENCY: 'eur', AdditionalSearchTerms: null, Type: 'Standard' },
        metadata: { OrderID: '9', orderId: 'case 1' },
        Checkout: { ExpirationMinutes: 20, RedirectURL: 'https://shop.example/', SpeedPolicy: 'mediumspeed' },
      };
      const { id, amount, currency, metadata } = successOf(await shop.client.post(`${shop.path}/invoices/`, body));
      assert.deepEqual([amount, currency, metadata], ['10', 'EUR', { OrderID: '9', orderId: 'case 1' }]);
      const order = await orderOf(id);
      assert.deepEqual(
        [order.links.succeedUrl, order.expiresAt - order.createdAt],
        ['https://shop.example/', 20 * MINUTE_MS],
      );
      const both = successOf(
        await shop.client.post(`${shop.path}/invoices`, { amount: '1', Amount: '2', currency: 'EUR' }),
      );
      assert.equal(both['amount'], '1');
      const [listed] = successOf<Record_[]>(await shop.client.get(`${shop.path}/invoices/?orderId=case+1&status=new`));
      assert.equal(listed?.['id'], id);
      assert.equal(successOf(await mark(id, 'invalid'))['status'], 'Invalid');
    });

    test('confirmations that the till would not wait for are refused', async () => {
      const slow = { checkout: { speedPolicy: 'LowSpeed', paymentMethods: ['LTC-CHAIN'] } };
      const chain = till.till.chains.get('LTC');
      const fields = await shop.client.post(`${shop.path}/invoices`, { amount: '10', currency: 'EUR', ...slow });
      if ((chain?.policy.confirmations('LTC', 0n) ?? 0) < 6)
        assert.deepEqual(refusedFields(fields), ['checkout.speedPolicy']);
      else successOf(fields);
    });

    test('odd amounts are rounded to the currency, or refused', async () => {
      const post = (amount: unknown, currency = 'EUR') =>
        shop.client.post(`${shop.path}/invoices`, { amount, currency });
      for (const [amount, written] of [
        ['10.005', '10.01'],
        [10.004, '10'],
        [12.5, '12.5'],
        ['0010.10000', '10.1'],
      ] as const)
        assert.equal(successOf(await post(amount))['amount'], written);
      assert.equal(successOf(await post('1000.6', 'JPY'))['amount'], '1001');
      for (const amount of [
        null,
        undefined,
        '',
        '0',
        0,
        -5,
        '-5',
        '1e3',
        'NaN',
        true,
        [],
        {},
        '9'.repeat(90),
        '1'.repeat(30),
      ])
        assert.deepEqual(refusedFields(await post(amount)), ['amount'], JSON.stringify(amount));
    });

    test('the payer of an invoice for some coins can choose no other one; for one coin its address is there at once', async () => {
      const asked = ['BTC_CHAIN', 'LTC_CHAIN'];
      const { id, checkout } = await create({ checkout: { paymentMethods: asked } });
      assert.deepEqual((checkout as Record_)['paymentMethods'], asked);
      assert.deepEqual((await methodsOf(id)).map(({ paymentMethodId }) => paymentMethodId).sort(), [
        'BTC-CHAIN',
        'LTC-CHAIN',
      ]);
      const other = await till.client.post(`/checkout/${String(id)}/choice`, USDT);
      assert.equal(other.status, 400, other.text);
      await choose(id, { chain: 'LTC', currency: 'LTC' });

      const some = await create({ checkout: { paymentMethods: ['LTC', 'BTC-LNURLPAY', 'DOGE'] } });
      const [ltc] = await methodsOf(some['id']);
      assert.equal(ltc?.['paymentMethodId'], 'LTC-CHAIN', 'what the store lacks is not offered');
      const only = await create({ checkout: { paymentMethods: ['btc'] } });
      const [method] = await methodsOf(only['id']);
      const { activated, paymentMethodId, destination } = method ?? {};
      assert.deepEqual([activated, paymentMethodId], [true, 'BTC-CHAIN']);
      assert.equal(destination, (await orderOf(only['id'])).payment?.address);
    });

    test('an invoice that nobody pays expires, and the shop can accept it; a late payment settles it as late', async () => {
      const [unpaid, late] = [await create(), await create()];
      await choose(late['id']);
      till.clock.advance(31 * MINUTE_MS);
      dataOf(await till.client.post('/sandbox/v1/blocks', { count: 1 }));
      await till.work();
      assert.deepEqual(await stateOf(unpaid['id']), ['Expired', 'None']);
      assert.deepEqual((await read(unpaid['id']))['availableStatusesForManualMarking'], ['Settled']);
      const accepted = successOf(await mark(unpaid['id'], 'Settled'));
      assert.deepEqual([accepted['status'], accepted['additionalStatus']], ['Settled', 'Marked']);
      successOf(await mark(unpaid['id'], 'Settled'));
      assert.deepEqual(refusedFields(await mark(unpaid['id'], 'Invalid')), ['status']);
      await pay(late['id']);
      assert.deepEqual(await stateOf(late['id']), ['Settled', 'PaidLate']);
    });

    test('the shop can end an invoice that nobody has paid, and no other', async () => {
      const { id } = await create();
      assert.deepEqual(refusedFields(await mark(id, 'Settled')), ['status'], 'nothing was paid');
      assert.deepEqual(refusedFields(await mark(id, 'Lost')), ['status']);
      const ended = successOf(await mark(id, 'Invalid'));
      assert.deepEqual([ended['status'], ended['additionalStatus']], ['Invalid', 'Marked']);
      successOf(await mark(id, 'Invalid'));
      const paid = await create();
      await choose(paid['id']);
      await pay(paid['id']);
      assert.deepEqual(refusedFields(await mark(paid['id'], 'Invalid')), ['status']);
      assert.deepEqual(await stateOf(paid['id']), ['Settled', 'None']);
    });

    test('an invoice that is paid too much says so', async () => {
      const { id } = await create();
      await choose(id);
      await pay(id, '100');
      assert.deepEqual(await stateOf(id), ['Settled', 'PaidOver']);
      const [method] = await methodsOf(id);
      assert.match(String(method?.['due']), /^-/);
    });

    test('lists: by order, status and text, in parts, without archived ones', async () => {
      const own = await connectShop(till);
      const made: Record_[] = [];
      for (const orderId of ['o 1', 'o 1', 'o 2']) {
        till.clock.advance(1_000);
        made.push(await create({ metadata: { orderId } }, own));
      }
      const ids = made.map(({ id }) => id);
      const list = async (query: string): Promise<readonly unknown[]> =>
        successOf<Record_[]>(await own.client.get(`${own.path}/invoices?${query}`)).map(({ id }) => id);
      assert.deepEqual(await list(''), [ids[2], ids[1], ids[0]]);
      assert.deepEqual(await list('orderId=o+1'), [ids[1], ids[0]]);
      assert.deepEqual(await list('orderId=o+1&orderId=o+2'), [ids[2], ids[1], ids[0]]);
      assert.deepEqual(await list('orderId[]=o+2'), [ids[2]]);
      assert.deepEqual(await list('textSearch=o+2'), [ids[2]]);
      assert.deepEqual(await list('orderId=none'), []);
      assert.deepEqual(await list('skip=1&take=1'), [ids[1]]);
      assert.deepEqual(await list('status=Settled'), []);
      assert.deepEqual(await list('status=New&status=Expired'), [ids[2], ids[1], ids[0]]);
      assert.deepEqual(refusedFields(await own.client.get(`${own.path}/invoices?status=Nope`)), ['status']);
      assert.deepEqual(refusedFields(await own.client.get(`${own.path}/invoices?take=1000`)), ['take']);
      const archived = successOf(await own.client.request('DELETE', `${own.path}/invoices/${String(ids[1])}`));
      assert.equal(archived['archived'], true);
      assert.deepEqual(await list('orderId=o+1'), [ids[0]]);
      assert.deepEqual(await list('orderId=o+1&includeArchived=true'), [ids[1], ids[0]]);
      successOf(await own.client.post(`${own.path}/invoices/${String(ids[1])}/unarchive`, {}));
      assert.deepEqual(await list('orderId=o+1'), [ids[1], ids[0]]);
      const found = await till.till.manage.orders.list(
        { accountId: own.merchant.account.id, role: 'user', ip: null, traceId: null },
        { q: 'o 2', limit: 10 },
      );
      assert.deepEqual(
        found.items.map(({ order }) => order.checkoutToken),
        [ids[2]],
        'the dashboard finds it too',
      );
    });

    test('an order of another API is an invoice too, with its reference as the shop’s number', async () => {
      const { merchant, client, path } = await connectShop(till);
      dataOf(
        await merchant.client.post('/api/order/pay-url', {
          ...{ price: '3', currency: 'USD', merchant_reference: 'desk 4', metadata: { a: 'b' } },
        }),
      );
      const [found] = successOf<Record_[]>(await client.get(`${path}/invoices?orderId=desk%204`));
      assert.deepEqual(found?.['metadata'], { a: 'b', orderId: 'desk 4' });
    });

    test('nothing of it belongs to another store', async () => {
      const { id } = await create({ metadata: { orderId: 'secret' } });
      const other = await connectShop(till, [...SHOP_PERMISSIONS]);
      for (const path of [`/invoices/${String(id)}`, `/invoices/${String(id)}/payment-methods`])
        refusedAs(await other.client.get(`${other.path}${path}`), 404, 'invoice-not-found');
      refusedAs(await other.client.get(`/api/v1/invoices/${String(id)}`), 404, 'invoice-not-found');
      refusedAs(
        await other.client.post(`${other.path}/invoices/${String(id)}/status`, { status: 'Invalid' }),
        404,
        'invoice-not-found',
      );
      refusedAs(await other.client.request('DELETE', `${other.path}/invoices/${String(id)}`), 404, 'invoice-not-found');
      assert.deepEqual(successOf(await other.client.get(`${other.path}/invoices?orderId=secret`)), []);
      refusedAs(await other.client.get(`${shop.path}/invoices/${String(id)}`), 403, 'missing-permission');
      refusedAs(
        await other.client.post(`${shop.path}/invoices`, { amount: '1', currency: 'EUR' }),
        403,
        'missing-permission',
      );
      successOf(await shop.client.get(`/api/v1/invoices/${String(id)}`));
      for (const wrong of ['x', '0'.repeat(32), (await orderOf(id)).id, `${String(id)}%00`])
        refusedAs(await shop.client.get(`${shop.path}/invoices/${wrong}`), 404, 'invoice-not-found');
    });

    test('metadata beyond its bounds is refused, and a repeated Idempotency-Key makes one invoice', async () => {
      const post = (metadata: unknown) =>
        shop.client.post(`${shop.path}/invoices`, { amount: '1', currency: 'EUR', metadata });
      assert.deepEqual(refusedFields(await post({ text: 'x'.repeat(17_000) })), ['metadata']);
      assert.deepEqual(refusedFields(await post({ orderId: 'x'.repeat(300) })), ['metadata.orderId']);
      assert.deepEqual(refusedFields(await post({ orderId: { a: 1 } })), ['metadata.orderId']);
      assert.deepEqual(refusedFields(await post('text')), ['metadata']);
      successOf(await post([]));
      refusedAs(await post({ text: 'x'.repeat(70_000) }), 413, 'body-too-large');
      const body = { amount: '1', currency: 'EUR', metadata: { orderId: 'once' } };
      const send = () => shop.client.post(`${shop.path}/invoices`, body, { headers: { 'Idempotency-Key': 'once' } });
      const [first, second] = [successOf(await send()), successOf(await send())];
      assert.equal(first['id'], second['id']);
    });
  });
});
