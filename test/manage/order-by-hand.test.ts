import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { assertError, dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, assertStepUp, managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const ORDERS = '/manage/v1/orders';
const UNKNOWN = '1530217733410816001';
const PRICE = { price: '25.00', currency: 'USD' };
const COIN = { chain: 'ETH', coin: 'USDT-ERC20' };

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
    user = await fixture.newMember();
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  const made = async (body: object, by = user): Promise<Fields> => managed(await by.client.post(ORDERS, body), 201);
  const pathOf = ({ pay_url }: Fields): string => new URL(String(pay_url)).pathname;
  const audited = async ({ id }: Member): Promise<readonly Fields[]> =>
    managed<List>(await fixture.admin.client.get(`/manage/v1/audit?account=${id}&limit=100`)).items.filter(
      ({ action }) => action === 'order.create',
    );

  test('an order by hand in a given coin is paid as any other', async () => {
    const order = await made({ ...PRICE, ...COIN, merchant_reference: 'invoice 1', expires_in: 90, tolerance_bps: 5 });
    assert.deepEqual(
      [order['platform'], order['status'], order['merchant_reference'], order['tolerance_bps']],
      ['DASHBOARD', 'PENDING', 'invoice 1', 5],
    );
    const { address, ...payment } = order['payment'] as Fields;
    assert.equal(typeof address, 'string');
    assert.deepEqual(payment, { ...COIN, chain_name: 'Ethereum', amount: '25' });
    const { client } = fixture.till;
    assertError(await client.post(`${pathOf(order)}/choice`, { chain: 'ETH', currency: 'ETH' }), 40900);
    dataOf(await client.post('/sandbox/v1/pay', { order_id: order['id'] }));
    await fixture.till.work();
    assert.equal(managed(await user.client.get(`${ORDERS}/${String(order['id'])}`))['status'], 'SUCCESS');
  });

  test('one without a coin leaves it to the payer, who may change it until something was seen', async () => {
    const order = await made(PRICE);
    assert.deepEqual([order['platform'], order['payment']], ['DASHBOARD', null]);
    const { client } = fixture.till;
    for (const [chain, currency] of [
      ['BTC', 'BTC'],
      ['ETH', 'USDT-ERC20'],
    ])
      dataOf(await client.post(`${pathOf(order)}/choice`, { chain, currency }));
    dataOf(await client.post('/sandbox/v1/pay', { order_id: order['id'] }));
    await fixture.till.work();
    const { items } = managed<{ items: Fields[] }>(await user.client.get(`${ORDERS}/${String(order['id'])}/history`));
    assert.deepEqual(
      items.map(({ rule }) => rule),
      ['created', 'payment-chosen', 'payment-chosen', 'paid-in-time'],
    );
  });

  test('the note of whoever makes it is kept, without a fresh factor, and shown wherever the order is', async () => {
    const member = await fixture.newMember('user', { raised: false });
    const order = await made({ ...PRICE, remark: 'asked for by telephone' }, member);
    assert.equal(order['remark'], 'asked for by telephone');
    const [listed] = managed<List>(await member.client.get(ORDERS)).items;
    assert.equal(listed?.['remark'], 'asked for by telephone');
    for (const remark of ['x'.repeat(201), 'two\nlines'])
      assertRefused(await member.client.post(ORDERS, { ...PRICE, remark }), 400, 'remark');
  });

  test('an order leaves one row in the audit log; the same request again is the same order', async () => {
    const member = await fixture.newMember();
    const body = { ...PRICE, merchant_reference: 'invoice 2' };
    const headers = { 'Idempotency-Key': 'k-1' };
    const replies = await Promise.all(Array.from({ length: 4 }, () => member.client.post(ORDERS, body, { headers })));
    const ids = new Set(replies.map((reply) => managed(reply, 201)['id']));
    assert.equal(ids.size, 1);
    assertRefused(await member.client.post(ORDERS, body), 409);
    assertRefused(await member.client.post(ORDERS, { ...body, price: '26' }, { headers }), 409);
    const rows = await audited(member);
    assert.deepEqual(
      rows.map((row) => [row['actor'], row['subject']]),
      [[member.id, [...ids][0]]],
    );
    assert.deepEqual((rows[0]?.['changes'] as Fields)['price'], { from: null, to: '2500' });
  });

  test('fault 172: nobody makes an order for another account but an admin with a fresh factor, on record', async () => {
    const body = { ...PRICE, account: user.id };
    const other = await fixture.newMember();
    const before = (await audited(user)).length;
    assertRefused(await other.client.post(ORDERS, body), 404);
    assertRefused(await other.client.post(ORDERS, { ...PRICE, account: UNKNOWN }), 404);
    assertRefused(await fixture.client.post(ORDERS, PRICE), 401);
    const stolen = await fixture.newMember('admin', { raised: false });
    assertStepUp(await stolen.client.post(ORDERS, body));
    assertRefused(await fixture.admin.client.post(ORDERS, { ...PRICE, account: UNKNOWN }), 404);
    assert.equal((await audited(user)).length, before);
    const order = await made(body, fixture.admin);
    assert.equal(order['account'], user.id);
    assert.deepEqual((await audited(user)).map((row) => row['actor']).at(0), fixture.admin.id);
    await store.sql("UPDATE accounts SET status = 'disabled' WHERE id = ?", [other.id]);
    assertRefused(await fixture.admin.client.post(ORDERS, { ...PRICE, account: other.id }), 409);
  });

  test('fault 173: an order by hand is bound as one of the payment API: fields, limits, and where callbacks go', async () => {
    const bad: readonly (readonly [status: number, field: string | undefined, body: object])[] = [
      [400, 'price', { currency: 'USD' }],
      [400, 'price', { ...PRICE, price: '0.001' }],
      [400, 'price', { ...PRICE, price: 25 }],
      [400, 'coin', { ...PRICE, chain: 'ETH' }],
      [400, 'chain', { ...PRICE, coin: 'ETH' }],
      [400, 'callback_url', { ...PRICE, callback_url: 'http://127.0.0.1/paid' }],
      [400, 'succeed_url', { ...PRICE, succeed_url: 'javascript:alert(1)' }],
      [400, 'metadata', { ...PRICE, metadata: 5 }],
      [400, 'expires_in', { ...PRICE, expires_in: 86_400 }],
      [400, undefined, { ...PRICE, chain: 'ETH', coin: 'DOGE' }],
      [400, undefined, { ...PRICE, price: '1000001' }],
    ];
    for (const [status, field, body] of bad) assertRefused(await user.client.post(ORDERS, body), status, field);
  });
});
