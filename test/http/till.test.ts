import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { checkLedger, FIATS } from '../../core/index.ts';
import { assertError, dataOf, signatureHeaders } from '../support/http.ts';
import type { Reply, SentHeaders, SigningOptions } from '../support/http.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';

const PAY_INFO = '/api/order/pay-info';
const ORDER = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 };

interface PayInfo {
  readonly order_id: string;
  readonly amount: number;
  readonly vs_price: number;
  readonly address: string;
  readonly pay_url: string;
}
interface List {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly max_page: number;
  readonly data: readonly Record<string, unknown>[];
}

/** Not the till's. */
const PAYER = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  let merchant: TestMerchant;
  before(async () => {
    store = await open();
    till = await startTestTill(store, { settings: { serviceName: 'my-till' } });
    merchant = till.merchant;
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  const createOrder = async (by = merchant): Promise<PayInfo> => dataOf<PayInfo>(await by.client.post(PAY_INFO, ORDER));
  const detail = async (id: string, by = merchant): Promise<Reply> => by.client.get(`/api/v2/order/detail/${id}`);

  describe('each operation, through the whole till', () => {
    test('pay-info, a payment, the list, the detail and the transactions', async () => {
      const shop = await till.newMerchant();
      const order = await createOrder(shop);
      assert.equal(order.amount, 25);
      assert.equal(order.vs_price, 25);
      assert.match(order.order_id, /^\d{18,19}$/);
      assert.match(order.pay_url, new RegExp(`^${till.url}/checkout/`));
      assert.equal(dataOf<{ to_addr: string }>(await detail(order.order_id, shop)).to_addr, order.address);

      const { tx_hash } = dataOf<{ tx_hash: string }>(
        await till.client.post('/sandbox/v1/pay', { order_id: order.order_id }),
      );
      await till.work();
      const paid = dataOf<Record<string, unknown>>(await detail(order.order_id, shop));
      assert.equal(paid['status'], 'SUCCESS');
      assert.equal(paid['tx_hash'], tx_hash);
      assert.equal(paid['obtained'], '25');

      const orders = dataOf<List>(await shop.client.get('/api/v2/order/?page=1&size=5'));
      assert.deepEqual([orders.page, orders.size, orders.total, orders.max_page], [1, 5, 1, 1]);
      assert.equal(orders.data[0]?.['order_id'], order.order_id);
      assert.deepEqual(dataOf<List>(await shop.client.get('/api/v2/order?page=9')).data, []);
      const transactions = dataOf<List>(await shop.client.get('/api/v2/tx'));
      assert.equal(transactions.total, 1);
      assert.equal(transactions.data[0]?.['tx_hash'], tx_hash);
      assertError(await till.client.post('/sandbox/v1/pay', { order_id: order.order_id }), 40900);
    });

    test('pay-url, the choice of a coin, a short payment, the rest of it, and the state of the page', async () => {
      const { pay_url } = dataOf<{ pay_url: string }>(
        await merchant.client.post('/api/order/pay-url', { price: '10.50', currency: 'EUR' }),
      );
      const path = new URL(pay_url).pathname;
      const before_choice = dataOf<Record<string, unknown>>(await till.client.get(`${path}/state`));
      assert.deepEqual(
        [before_choice['status'], before_choice['chain'], before_choice['amount'], before_choice['address']],
        ['PENDING', '', '', ''],
      );
      assertError(await till.client.post(`${path}/choice`, { chain: 'ETH', currency: 'DOGE' }), 40002);
      const chosen = dataOf<Record<string, string>>(
        await till.client.post(`${path}/choice`, { chain: 'BTC', currency: 'BTC' }),
      );
      assert.equal(chosen['chain'], 'BTC');
      const {
        data: [newest],
      } = dataOf<List>(await merchant.client.get('/api/v2/order/?size=1'));
      const order_id = String(newest?.['order_id']);
      dataOf(await till.client.post('/sandbox/v1/pay', { order_id, amount: '0.00001' }));
      await till.work();
      const short = dataOf<Record<string, unknown>>(await till.client.get(`${path}/state`));
      assert.deepEqual([short['status'], short['received']], ['PENDING', '0.00001']);
      assertError(await till.client.post(`${path}/choice`, { chain: 'ETH', currency: 'ETH' }), 40900);
      assertError(await till.client.post(`${path}/refund-address`, { address: chosen['address'] }), 40008);
      dataOf(await till.client.post(`${path}/refund-address`, { address: PAYER }));
      dataOf(await till.client.post(`${path}/refund-address`, { address: PAYER }));
      const another = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry';
      assertError(await till.client.post(`${path}/refund-address`, { address: another }), 40900);
      assertError(await till.client.post(`${path}/refund-address`, { address: '0x1234' }), 40001);
      dataOf(await till.client.post('/sandbox/v1/pay', { order_id }));
      await till.work();
      const paid = dataOf<Record<string, unknown>>(await till.client.get(`${path}/state`));
      assert.deepEqual(
        [paid['status'], paid['received'], paid['refund_address']],
        ['SUCCESS', chosen['amount'], PAYER],
      );
    });

    test("the payer's page is served by the host's row of the table", async () => {
      const { pay_url } = await createOrder();
      const page = await till.client.get(new URL(pay_url).pathname);
      assert.equal(page.status, 200);
      assert.match(page.headers['content-type'] ?? '', /^text\/html/);
    });

    test('the crypto list has the ten pairs, the fiat list exactly the 48 codes', async () => {
      const crypto = dataOf<{ chain: string; currency: string; status: boolean }[]>(
        await merchant.client.get('/api/order/pay/crypto-currency'),
      );
      assert.equal(crypto.length, 10);
      assert.deepEqual(
        crypto.find(({ currency }) => currency === 'USDT-ERC20'),
        { chain: 'ETH', currency: 'USDT-ERC20', status: true },
      );
      assert.equal(crypto.find(({ currency }) => currency === 'BTC-LN')?.status, false);
      const fiat = dataOf<{ currency: string }[]>(await merchant.client.get('/api/order/pay/real-currency'));
      assert.deepEqual(
        fiat.map(({ currency }) => currency),
        FIATS.map(({ code }) => code),
      );
      assert.equal(fiat.length, 48);
    });

    test('the login gives a token that the API-Key header takes, and X-Token on the Lightning operations only', async () => {
      const login = { username: merchant.email.toUpperCase(), password: merchant.password };
      for (const name of ['service', 'my-till']) {
        const { access_token, expire } = dataOf<{ access_token: string; expire: number }>(
          await till.client.post(`/api/plugin/key/${name}`, login),
        );
        assert.equal(expire, 3600);
        dataOf(await till.client.get('/api/v2/order/', { headers: { 'API-Key': access_token } }));
        assertError(await till.client.get('/api/v2/order/', { headers: { 'X-Token': access_token } }), 40100);
        assert.equal(
          dataOf<{ currency: string }>(
            await till.client.get('/api/bln/balance', { headers: { 'X-Token': access_token } }),
          ).currency,
          'BTC-LN',
        );
      }
      const wrong = assertError(
        await till.client.post('/api/plugin/key/service', { ...login, password: 'wrong' }),
        40105,
      );
      const unknown = assertError(
        await till.client.post('/api/plugin/key/service', { ...login, username: 'nobody@example.com' }),
        40105,
      );
      assert.equal(wrong.message, unknown.message);
    });

    test('probes, metrics and the document', async () => {
      dataOf(await till.client.get('/livez'));
      dataOf(await till.client.get('/readyz'));
      assert.match((await till.client.get('/metrics')).text, /tillgate_http_requests_total\{/);
      assert.equal((JSON.parse((await till.client.get('/openapi.json')).text) as { openapi: string }).openapi, '3.1.0');
    });

    test('sandbox blocks move the simulated chains', async () => {
      const before_mining = await till.till.chains.get('LTC')?.head();
      dataOf(await till.client.post('/sandbox/v1/blocks', { chain: 'LTC', count: 3 }));
      assert.equal((await till.till.chains.get('LTC')?.head())?.height, (before_mining?.height ?? 0) + 3);
    });
  });

  describe('refusals', () => {
    test('40002 for pairs and fiats that are not supported, 40003 beyond the limits', async () => {
      for (const change of [
        { chain: 'DOGE' },
        { currency: 'USDT-TRC20' },
        { chain: 'BLN', currency: 'BTC-LN' },
        { vs_currency: 'XYZ' },
        { vs_currency: 'usd' },
      ]) {
        assertError(await merchant.client.post(PAY_INFO, { ...ORDER, ...change }), 40002);
      }
      assertError(await merchant.client.post(PAY_INFO, { ...ORDER, vs_price: 1_000_000.01 }), 40003);
      dataOf(await merchant.client.post(PAY_INFO, { ...ORDER, vs_price: 1_000_000 }));
      assertError(await merchant.client.post('/api/order/pay-url', { price: '999999999999', currency: 'USD' }), 40003);
    });

    test('fault 12: another account’s order is the same 404 as an unknown one', async () => {
      const { order_id } = await createOrder();
      const stranger = await till.newMerchant();
      const texts = [];
      for (const id of [order_id, '1530217733414232064', '1', 'x', '9'.repeat(30), "1'--"]) {
        const { message, code } = assertError(await detail(id, stranger), 40400);
        texts.push(`${code} ${message}`);
      }
      assert.equal(new Set(texts).size, 1);
    });

    test('40100 without credentials, 40101 for every kind of wrong key', async () => {
      assertError(await till.client.get('/api/v2/order/'), 40100);
      const messages = [];
      for (const key of [
        'x',
        `${merchant.apiKey}x`,
        merchant.apiKey.slice(0, -1),
        'eyJhbGciOiJub25lIn0.e30.',
        'ü',
        merchant.keys.apiToken,
      ]) {
        messages.push(
          assertError(await till.client.get('/api/v2/order/', { headers: { 'API-Key': key } }), 40101).message,
        );
      }
      assert.equal(new Set(messages).size, 1);
    });

    test('fault 10: with Data Security on, key and token are 40300 everywhere, and a signature passes', async () => {
      const shop = await till.newMerchant();
      const login = { username: shop.email, password: shop.password };
      const { access_token } = dataOf<{ access_token: string }>(
        await till.client.post('/api/plugin/key/service', login),
      );
      await shop.setDataSecurity(true);
      for (const target of ['/api/v2/order/', '/api/v2/tx', '/api/order/pay/real-currency', '/api/v2/order/detail/1']) {
        assertError(await shop.client.get(target), 40300);
        assertError(await till.client.get(target, { headers: { 'API-Key': access_token } }), 40300);
        assertError(
          await till.client.get(target, { headers: { 'API-Key': access_token, 'X-Token': access_token } }),
          40300,
        );
      }
      assertError(await shop.client.post(PAY_INFO, ORDER), 40300);
      assertError(await till.client.post('/api/plugin/key/service', login), 40300);
      dataOf(await till.client.post(PAY_INFO, ORDER, { sign: shop.signed() }));
      await shop.setDataSecurity(false);
      dataOf(await shop.client.get('/api/v2/order/'));
    });

    test('40301 for a disabled account, with a key and with a signature', async () => {
      const shop = await till.newMerchant();
      await store.storage.accounts.update(shop.account.id, { status: 'disabled', modifiedAt: till.clock.now() });
      assertError(await shop.client.get('/api/v2/order/'), 40301);
      assertError(await till.client.get('/api/v2/order/', { sign: shop.signed() }), 40301);
    });

    test('the same Idempotency-Key and body give the same order, another body is 40901', async () => {
      const headers = { 'Idempotency-Key': 'order-1' };
      const first = dataOf<PayInfo>(await merchant.client.post(PAY_INFO, ORDER, { headers }));
      assert.deepEqual(dataOf<PayInfo>(await merchant.client.post(PAY_INFO, ORDER, { headers })), first);
      assertError(await merchant.client.post(PAY_INFO, { ...ORDER, vs_price: 26 }, { headers }), 40901);
      const stranger = await till.newMerchant();
      assert.notEqual(
        dataOf<PayInfo>(await stranger.client.post(PAY_INFO, ORDER, { headers })).order_id,
        first.order_id,
      );
      dataOf(await merchant.client.post('/api/order/pay-url', { price: 1, currency: 'USD' }, { headers }));
    });

    test('a signing merchant whose requests wait together gets an order for each, with addresses of their own', async () => {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => till.client.post(PAY_INFO, ORDER, { sign: merchant.signed() })),
      );
      const orders = replies.map((reply) => dataOf<PayInfo>(reply));
      assert.equal(new Set(orders.map(({ order_id }) => order_id)).size, 20);
      assert.equal(new Set(orders.map(({ address }) => address)).size, 20);
    });
  });

  describe('signed requests', () => {
    const BODY = JSON.stringify(ORDER);
    const post = (headers: SentHeaders, body = BODY, target = PAY_INFO) => till.client.post(target, body, { headers });
    const sign = (options: Partial<SigningOptions> = {}, body = BODY, method = 'POST', target = PAY_INFO) =>
      signatureHeaders(merchant.keys, method, target, body, { at: till.clock.now(), ...options });

    test('both algorithms and both delimiters pass, for GET and for POST', async () => {
      for (const algorithm of ['HMAC-SHA256', 'HMAC-SHA3_256'] as const) {
        for (const delimiter of [' | ', '|']) {
          dataOf(await post(sign({ algorithm, delimiter })));
          const target = '/api/v2/order/?size=2&page=%31';
          dataOf(await till.client.get(target, { headers: sign({ algorithm, delimiter }, '', 'GET', target) }));
        }
      }
    });

    test('fault 2: a Date 300 seconds away passes, 301 is 40103, other forms too', async () => {
      const now = till.clock.now();
      for (const seconds of [-300, -299, 299, 300]) dataOf(await post(sign({ at: now + seconds * 1000 })));
      for (const seconds of [-301, 301, 86_400]) assertError(await post(sign({ at: now + seconds * 1000 })), 40103);
      const good = sign();
      const date = good['Date'] ?? '';
      for (const bad of [
        date.replace('Z', ''),
        date.replace('Z', '.000Z'),
        date.replace('Z', '+00:00'),
        new Date(now).toUTCString(),
        '',
        `${date} `.repeat(2),
      ]) {
        assertError(await post({ ...good, Date: bad }), 40103);
      }
    });

    test('40102 shows what the server saw, never what it expected', async () => {
      const headers: Record<string, string> = { ...sign(), Signature: Buffer.alloc(32).toString('base64') };
      const { signing } = assertError(await post(headers), 40102);
      assert.deepEqual(signing, {
        algorithm: 'HMAC-SHA256',
        date: headers['Date'],
        request_info: `POST ${PAY_INFO}`,
        body_md5: headers['Body-MD5'],
        signature_origin: `HMAC-SHA256 | ${headers['Date'] ?? ''} | POST ${PAY_INFO} | ${headers['Body-MD5'] ?? ''}`,
      });
    });

    test('fault 5: a body that is not the signed one is 40102', async () => {
      assertError(await post(sign(), BODY.replace('25', '26')), 40102);
      assertError(await post(sign(), `${BODY} `), 40102);
      const upper = sign();
      assertError(await post({ ...upper, 'Body-MD5': (upper['Body-MD5'] ?? '').toUpperCase() }), 40102);
    });

    test('fault 9: only strict base64 of 32 bytes is a signature', async () => {
      const good = sign();
      const signature = good['Signature'] ?? '';
      const variants = [
        signature.replace('=', ''),
        `${signature}=`,
        ` ${signature}`.replace('=', '==='),
        Buffer.from(signature, 'base64').toString('hex'),
        '',
        signature.slice(4),
      ];
      variants.push(
        `${signature.slice(0, 10)}\t${signature.slice(10)}`,
        Buffer.concat([Buffer.from(signature, 'base64'), Buffer.from([0])]).toString('base64'),
      );
      for (const bad of variants) assertError(await post({ ...good, Signature: bad }), 40102);
    });

    test('a missing part is 40102, and so is an unknown token; both name nothing secret', async () => {
      for (const name of ['API-Token', 'Algorithm', 'Date', 'Signature', 'Body-MD5']) {
        const headers = Object.fromEntries(Object.entries(sign()).filter(([key]) => key !== name));
        assert.match(assertError(await post(headers), 40102).message, new RegExp(name));
      }
      const unknown = assertError(await post({ ...sign(), 'API-Token': 'unknown' }), 40102);
      const wrong = assertError(await post({ ...sign(), Signature: Buffer.alloc(32).toString('base64') }), 40102);
      assert.equal(unknown.message, wrong.message);
    });

    test('the target is signed as it was sent: another spelling of it is 40102', async () => {
      const target = '/api/v2/order/?page=1&size=2';
      const headers = sign({}, '', 'GET', target);
      dataOf(await till.client.get(target, { headers }));
      for (const other of [
        '/api/v2/order/?size=2&page=1',
        '/api/v2/order/?page=%31&size=2',
        '/api/v2/order?page=1&size=2',
        '/api/v2/order/?page=1&size=2&',
      ]) {
        assertError(await till.client.get(other, { headers }), 40102);
      }
      assert.equal((await till.client.request('HEAD', target, { headers })).status, 401);
    });

    test('fault 3: a signature of one target and body is worth nothing as a bare | in another target', async () => {
      const target = `${PAY_INFO}?x=`;
      const headers = sign({ delimiter: '|' }, BODY, 'POST', target);
      const md5 = headers['Body-MD5'] ?? '';
      const bodiless = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'Body-MD5'));
      assertError(await post(bodiless, '', `${target}|${md5}`), 40000);
      assertError(await post(bodiless, '', `${target}%7C${md5}`), 40102);
      dataOf(await post(headers, BODY, target));
    });

    test('fault 11: an API key of another account beside a signature is refused', async () => {
      const other = await till.newMerchant();
      assertError(await post({ ...sign(), 'API-Key': other.apiKey }), 40101);
      dataOf(await post({ ...sign(), 'API-Key': merchant.apiKey }));
    });

    test('fault 8: repeated signature headers are 40000', async () => {
      const good = sign();
      for (const name of Object.keys(good))
        assertError(await post({ ...good, [name]: [good[name] ?? '', good[name] ?? ''] }), 40000);
    });
  });

  test('no secret of a merchant is in any log line', () => {
    const text = JSON.stringify(till.logger.lines);
    for (const secret of [merchant.apiKey, merchant.keys.apiToken, merchant.keys.signingSecret, merchant.password]) {
      assert.equal(text.includes(secret), false);
    }
  });
});

eachStorage((name, open) => {
  test('fault 363: a database that answers and takes no writes is not ready, and is again when it does', async (t) => {
    const store = await open(t);
    const till = await startTestTill(store);
    const { clock } = till;
    try {
      dataOf(await till.client.get('/readyz'));
      const refusing =
        name === 'pg'
          ? [
              `CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
              'CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON write_probes FOR EACH ROW EXECUTE FUNCTION disk_full()',
            ]
          : [
              `CREATE TRIGGER full_disk BEFORE UPDATE ON write_probes BEGIN SELECT RAISE(ABORT, 'No space left on device'); END`,
            ];
      for (const statement of refusing) await store.sql(statement);
      dataOf(await till.client.get('/readyz'));
      clock.advance(5_000);
      for (let asked = 0; asked < 3; asked++) assertError(await till.client.get('/readyz'), 50300);
      dataOf(await till.client.get('/livez'));
      await store.sql(name === 'pg' ? 'DROP TRIGGER full_disk ON write_probes' : 'DROP TRIGGER full_disk');
      clock.advance(5_000);
      dataOf(await till.client.get('/readyz'));
    } finally {
      await till.close();
    }
  });

  test('a database that is away: 50300 for whoever comes, /livez goes on', async (t) => {
    const store = await open(t);
    const till = await startTestTill(store);
    try {
      await till.till.workerId.release();
      await store.storage.close();
      assertError(await till.merchant.client.get('/api/v2/order/'), 50300);
      assertError(await till.client.post(PAY_INFO, ORDER, { sign: till.merchant.signed() }), 50300);
      assertError(await till.client.get('/readyz'), 50300);
      dataOf(await till.client.get('/livez'));
    } finally {
      await till.close().catch((error: unknown) => assert.match(String(error), /shutting down/));
    }
  });
});
