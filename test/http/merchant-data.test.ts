import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import type { OrderId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { assertError, dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';

const PAY_INFO = '/api/order/pay-info';
const PAY_URL = '/api/order/pay-url';
const INFO = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 };
const URL_BODY = { price: 25, currency: 'USD' };
const METADATA = { cart: '7c1f', note: 'tea & "cake" | grün' };

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  before(async () => {
    store = await open();
    till = await startTestTill(store);
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  const listed = async (shop: TestMerchant): Promise<readonly Record<string, unknown>[]> =>
    dataOf<{ data: readonly Record<string, unknown>[] }>(await shop.client.get('/api/v2/order/')).data;

  test('what a merchant keeps with an order is in the list, the detail and the callback', async () => {
    const shop = await till.newMerchant();
    const body = {
      ...INFO,
      merchant_reference: 'invoice 7',
      metadata: METADATA,
      callback_url: 'https://shop.example/paid?metadata=mine',
    };
    const { order_id } = dataOf<{ order_id: string }>(await shop.client.post(PAY_INFO, body));
    const post = dataOf<{ order_id: string }>(
      await shop.client.post(PAY_INFO, { ...body, merchant_reference: 'invoice 8', enable_post_callback: true }),
    );
    const bare = dataOf<{ order_id: string }>(await shop.client.post(PAY_INFO, { ...INFO, merchant_reference: '' }));
    const detail = dataOf<Record<string, unknown>>(await shop.client.get(`/api/v2/order/detail/${order_id}`));
    assert.deepEqual([detail['merchant_reference'], detail['metadata']], ['invoice 7', METADATA]);
    assert.deepEqual(
      (await listed(shop)).map((order) => [order['order_id'], order['merchant_reference'], order['metadata']]),
      [
        [bare.order_id, null, {}],
        [post.order_id, 'invoice 8', METADATA],
        [order_id, 'invoice 7', METADATA],
      ],
    );
    for (const id of [order_id, post.order_id]) dataOf(await till.client.post('/sandbox/v1/pay', { order_id: id }));
    await till.work();
    const [[got], [sent]] = [
      await store.storage.callbacks.byOrder(order_id as OrderId),
      await store.storage.callbacks.byOrder(post.order_id as OrderId),
    ];
    const query = new URL(got?.url ?? '').searchParams;
    assert.equal(query.get('merchant_reference'), 'invoice 7');
    assert.deepEqual(
      query.getAll('metadata').map((text): unknown => JSON.parse(text)),
      [METADATA],
    );
    const posted = JSON.parse(sent?.body ?? '') as object;
    assert.deepEqual(
      Object.entries(posted).filter(([name]) => name === 'merchant_reference' || name === 'metadata'),
      [
        ['merchant_reference', 'invoice 8'],
        ['metadata', METADATA],
      ],
    );
  });

  test('fault 164: a reference is taken once for each account, however orders are created; the same request again is the same order', async () => {
    const [shop, other] = [await till.newMerchant(), await till.newMerchant()];
    const headers = { 'Idempotency-Key': 'k-1' };
    const first = { ...INFO, merchant_reference: 'invoice 7' };
    const { order_id } = dataOf<{ order_id: string }>(await shop.client.post(PAY_INFO, first, { headers }));
    assert.equal(dataOf<{ order_id: string }>(await shop.client.post(PAY_INFO, first, { headers })).order_id, order_id);
    for (const [path, body] of [
      [PAY_INFO, first],
      [PAY_URL, { ...URL_BODY, merchant_reference: 'invoice 7' }],
    ] as const) {
      const refused = await shop.client.post(path, body, { headers: { 'Idempotency-Key': 'k-2' } });
      assertError(refused, 40900);
      assert.match(refused.text, new RegExp(order_id));
    }
    assertError(await shop.client.post(PAY_INFO, { ...first, vs_price: 26 }, { headers }), 40901);
    dataOf(await other.client.post(PAY_URL, { ...URL_BODY, merchant_reference: 'invoice 7' }));
    assert.equal((await listed(shop)).length, 1);
    const results = await Promise.all(
      Array.from({ length: 8 }, () => shop.client.post(PAY_URL, { ...URL_BODY, merchant_reference: 'invoice 9' })),
    );
    assert.deepEqual(results.map(({ status }) => status).sort(), [200, ...Array<number>(7).fill(409)]);
  });

  test('fault 165: what is no reference or no metadata is 40001 with its field', async () => {
    const shop = await till.newMerchant();
    const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, '']));
    const bad: readonly (readonly [string, unknown])[] = [
      ...[7, null, ' a', 'a ', 'a\u0000', 'a\nb', 'a\u202eb', 'a\u200b', 'x'.repeat(101), ['a'], {}].map(
        (value) => ['merchant_reference', value] as const,
      ),
      ...[
        7,
        null,
        'text',
        [],
        ['a'],
        { a: 1 },
        { a: null },
        { a: {} },
        { a: ['b'] },
        { '': 'b' },
        { 'a\u0007': 'b' },
        { a: 'b\u0000' },
        { ['n'.repeat(41)]: '' },
        { a: 'v'.repeat(501) },
        pairs(21),
        Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`n${n}`, '☕'.repeat(140)])),
      ].map((value) => ['metadata', value] as const),
    ];
    for (const [field, value] of bad) {
      const reply = await shop.client.post(PAY_INFO, { ...INFO, [field]: value });
      assertError(reply, 40001);
      const { errors } = JSON.parse(reply.text) as { errors: readonly { path: string }[] };
      assert.deepEqual(
        errors.map(({ path }) => path),
        [field],
        JSON.stringify(value),
      );
    }
    assert.deepEqual(await listed(shop), []);
    dataOf(await shop.client.post(PAY_INFO, { ...INFO, merchant_reference: 'x'.repeat(100), metadata: pairs(20) }));
    dataOf(await shop.client.post(PAY_INFO, { ...INFO, metadata: { a: 'v'.repeat(500), constructor: '' } }));
  });

  test('fault 166: the payer is shown the reference, and never the metadata', async () => {
    const shop = await till.newMerchant();
    const { pay_url } = dataOf<{ pay_url: string }>(
      await shop.client.post(PAY_URL, {
        ...URL_BODY,
        merchant_reference: 'canary-ref',
        metadata: { a: 'canary-data' },
      }),
    );
    const page = new URL(pay_url).pathname;
    dataOf(await till.client.post(`${page}/choice`, { chain: 'ETH', currency: 'ETH' }));
    const order = await store.storage.orders.findByCheckoutToken(page.split('/').at(-1) ?? '');
    assert.equal(order?.merchantReference, 'canary-ref');
    assert.ok((await till.client.get(page)).text.includes('canary-ref'));
    for (const path of [page, `${page}/state`])
      assert.ok(!(await till.client.get(path)).text.includes('canary-data'), path);
    const history = await store.storage.orders.history(order.id);
    assert.ok(!JSON.stringify(history).includes('canary'));
  });
});
