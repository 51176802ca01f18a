import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import type { Order, OrderId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { assertError, dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';

const PAY_INFO = '/api/order/pay-info';
const PAY_URL = '/api/order/pay-url';
const INFO = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 100 };
const HOSTED = { price: 100, currency: 'USD' };
const HOUR = 3_600_000;

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  before(async () => {
    store = await open();
    till = await startTestTill(store, {
      settings: { orders: { minTimeoutSeconds: 120, maxTimeoutSeconds: 7200, toleranceBps: 10, maxToleranceBps: 200 } },
    });
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  async function created(path: string, body: object): Promise<Order> {
    const { order_id, pay_url } = dataOf<{ order_id?: string; pay_url: string }>(
      await till.merchant.client.post(path, body),
    );
    const token = new URL(pay_url).pathname.split('/').at(-1) ?? '';
    const { orders } = store.storage;
    const order = await (order_id === undefined ? orders.findByCheckoutToken(token) : orders.find(order_id as OrderId));
    assert.ok(order);
    return order;
  }

  test('an order has the deadline and the tolerance that it asks for, else those of the settings', async () => {
    for (const [path, body] of [
      [PAY_INFO, INFO],
      [PAY_URL, HOSTED],
    ] as const) {
      const own = await created(path, { ...body, expires_in: 7200, tolerance_bps: 200 });
      assert.deepEqual(
        [own.expiresAt - own.createdAt, own.watchUntil - own.createdAt, own.toleranceBps],
        [2 * HOUR, 26 * HOUR, 200],
      );
      const strict = await created(path, { ...body, expires_in: 120, tolerance_bps: 0 });
      assert.deepEqual([strict.expiresAt - strict.createdAt, strict.toleranceBps], [120_000, 0]);
      const usual = await created(path, body);
      assert.deepEqual([usual.expiresAt - usual.createdAt, usual.toleranceBps], [HOUR / 2, 10]);
    }
  });

  test('what is within the tolerance of the order pays it, and a deadline of its own ends it', async () => {
    const tolerant = await created(PAY_INFO, { ...INFO, tolerance_bps: 200 });
    const strict = await created(PAY_INFO, { ...INFO, tolerance_bps: 199, expires_in: 7200 });
    for (const { id } of [tolerant, strict])
      dataOf(await till.client.post('/sandbox/v1/pay', { order_id: id, amount: '98' }));
    const brief = await created(PAY_INFO, { ...INFO, expires_in: 120 });
    await till.work();
    const statuses = async (): Promise<readonly unknown[]> =>
      Promise.all([tolerant, strict, brief].map(async ({ id }) => (await store.storage.orders.find(id))?.status));
    assert.deepEqual(await statuses(), ['SUCCESS', 'PENDING', 'PENDING']);
    till.clock.advance(121_000);
    await till.work();
    assert.deepEqual(await statuses(), ['SUCCESS', 'PENDING', 'OVERDUE']);
    till.clock.advance(2 * HOUR);
    await till.work();
    assert.deepEqual(await statuses(), ['SUCCESS', 'PARTIAL', 'OVERDUE']);
  });

  test('fault 167: a deadline or a tolerance beyond the operator’s bounds is 40001, with the bounds', async () => {
    const bad: readonly (readonly [field: string, value: unknown, words: RegExp])[] = [
      ...[119, 7201, 86_400 * 3, 0, 9_007_199_254_740_991].map(
        (value) => ['expires_in', value, /from 120 to 7200 seconds/] as const,
      ),
      ...[201, 10_000].map((value) => ['tolerance_bps', value, /from 0 to 200 basis points/] as const),
      ...[-1, 0.5, '600', null, true, 1e300, [600]].flatMap((value) =>
        ['expires_in', 'tolerance_bps'].map((field) => [field, value, /must be a whole number/] as const),
      ),
    ];
    for (const [field, value, words] of bad) {
      const reply = await till.merchant.client.post(PAY_URL, { ...HOSTED, [field]: value });
      assertError(reply, 40001);
      assert.match(reply.text, words, `${field} ${JSON.stringify(value)}`);
      const { errors } = JSON.parse(reply.text) as { errors: readonly { path: string }[] };
      assert.deepEqual(
        errors.map(({ path }) => path),
        [field],
      );
    }
  });
});
