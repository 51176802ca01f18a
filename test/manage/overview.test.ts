import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DAY_MS } from '../../core/index.ts';
import type { AccountId } from '../../core/index.ts';
import { callback, storedOrder } from '../contract/storage/fixtures.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Record<string, unknown>;
interface Shown extends Fields {
  readonly sales: readonly Fields[];
  readonly orders: Readonly<Record<string, number>>;
  readonly callbacks: Readonly<Record<string, number>>;
  readonly chains: readonly Fields[] | null;
}

const OVERVIEW = '/manage/v1/overview';
const NOTHING = { made: 0, pending: 0, paid: 0, late: 0, partial: 0, timed_out: 0, terminated: 0, refunded: 0 };

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const read = async ({ client }: Member, query: Record<string, string> = {}): Promise<Shown> =>
    managed<Shown>(await client.get(`${OVERVIEW}?${new URLSearchParams(query).toString()}`));
  const at = (days = 0): string => new Date(fixture.till.clock.now() + days * DAY_MS).toISOString();
  const dayOf = (days = 0): string => at(days).slice(0, 10);
  const made = async ({ client }: Member, body: object = {}): Promise<string> => {
    const order = { chain: 'ETH', coin: 'USDT-ERC20', currency: 'USD', price: '25', ...body };
    return managed<{ id: string }>(await client.post('/manage/v1/orders', order), 201).id;
  };

  test('shows sales by day and coin, with the prices in each fiat currency, and what became of the orders', async () => {
    const member = await fixture.newMember();
    const empty = await read(member);
    assert.deepEqual([empty.sales, empty.orders, empty.chains], [[], NOTHING, null]);
    const paid = [await made(member), await made(member, { price: '10.5' }), await made(member, { currency: 'EUR' })];
    await made(member);
    for (const order_id of paid) dataOf(await fixture.client.post('/sandbox/v1/pay', { order_id }));
    await fixture.till.work();
    const { sales, orders, callbacks, from, to, account } = await read(member);
    assert.deepEqual([orders, account], [{ ...NOTHING, made: 4, paid: 3, pending: 1 }, member.id]);
    const [sold, ...more] = sales;
    assert.deepEqual(more, []);
    const received = await Promise.all(
      paid.map(
        async (id) => managed<{ received: string }>(await member.client.get(`/manage/v1/orders/${id}`)).received,
      ),
    );
    assert.deepEqual(sold, {
      day: dayOf(),
      coin: 'USDT-ERC20',
      orders: 3,
      amount: String(received.map(Number).reduce((sum, each) => sum + each, 0)),
      prices: [
        { currency: 'EUR', price: '25' },
        { currency: 'USD', price: '35.5' },
      ],
    });
    assert.deepEqual(callbacks, { delivered: 0, failed: 0, waiting: 0 });
    assert.deepEqual([from, to], [`${dayOf(-29)}T00:00:00.000Z`, `${dayOf(1)}T00:00:00.000Z`]);
  });

  test('counts what is there by status, of the days that are asked for', async () => {
    const { storage } = store;
    const member = await fixture.newMember();
    const id = member.id as AccountId;
    const now = fixture.till.clock.now();
    const statuses = ['SUCCESS', 'RESOLVED', 'PARTIAL', 'OVERDUE', 'TERMINATED', 'REFUNDED'] as const;
    for (const [days, status] of statuses.entries())
      await storedOrder(storage, id, { status, createdAt: now - days * DAY_MS, received: 1_000_000n });
    const order = await storedOrder(storage, id, { createdAt: now - 40 * DAY_MS });
    await storage.transaction(async (tx) => {
      for (const status of ['PENDING', 'DELIVERED', 'DEAD'] as const)
        await tx.callbacks.add({ ...callback(order, { orderId: null, createdAt: now }), status });
    });
    const each = { paid: 1, late: 1, partial: 1, timed_out: 1, terminated: 1, refunded: 1 };
    const shown = await read(member);
    assert.deepEqual(shown.orders, { ...NOTHING, ...each, made: 6 });
    assert.deepEqual(shown.callbacks, { delivered: 1, failed: 1, waiting: 1 });
    assert.deepEqual(
      shown.sales.map(({ day, orders, amount }) => [day, orders, amount]),
      [
        [dayOf(-1), 1, '1'],
        [dayOf(), 1, '1'],
      ],
    );
    const range = { from: at(-41), to: at(-3) };
    assert.deepEqual((await read(member, range)).orders, {
      ...NOTHING,
      ...{ made: 4, pending: 1, timed_out: 1, terminated: 1, refunded: 1 },
    });
    const all = await read(fixture.admin);
    assert.ok((all.orders['made'] ?? 0) > 6);
    assert.deepEqual((await read(fixture.admin, { account: member.id })).orders, shown.orders);
    assert.ok(all.chains?.some(({ code, lag_seconds }) => code === 'ETH' && typeof lag_seconds === 'number'));
    assert.equal((await read(fixture.admin, { account: member.id })).chains, null);
  });

  test('is one’s own, and of at most 92 days', async () => {
    const [member, other] = [await fixture.newMember(), await fixture.newMember()];
    assertRefused(await other.client.get(`${OVERVIEW}?account=${member.id}`), 404);
    assertRefused(await fixture.admin.client.get(`${OVERVIEW}?account=1530218000000000000`), 404);
    assertRefused(await fixture.admin.client.get(`${OVERVIEW}?account=%5B%22x%22%5D`), 404);
    assertRefused(await fixture.client.get(OVERVIEW), 401);
    const refused = async (query: Record<string, string>): Promise<void> => {
      const reply = await member.client.get(`${OVERVIEW}?${new URLSearchParams(query).toString()}`);
      assertRefused(reply, 400, 'from');
    };
    await refused({ from: at(-92), to: at() });
    await refused({ from: at(), to: at() });
    await refused({ from: at(1), to: at() });
    await refused({ from: '0001-01-01T00:00:00Z' });
    await refused({ from: 'yesterday' });
    await read(member, { from: at(-91), to: at() });
    await read(member, { to: '9999-12-31T23:59:59.999Z' });
  });
});
