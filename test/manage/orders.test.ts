import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import type { AccountId, Order } from '../../core/index.ts';
import { ADDRESS } from '../http/fake-edge.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Record<string, unknown>;
interface Listed {
  readonly items: readonly Fields[];
  readonly next_cursor: string | null;
}

const ORDERS = '/manage/v1/orders';
const UNKNOWN = '1530217733410816001';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  let other: Member;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
    user = await fixture.newMember();
    other = await fixture.newMember();
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  const made = ({ id }: Member, currency: string | null = 'ETH', more: object = {}): Promise<Order> => {
    const { createOrder } = fixture.till.till;
    const principal = { accountId: id as AccountId, credentialId: null, via: 'api-key' } as const;
    const input = { vsCurrency: 'USD', vsPrice: { digits: 25n, scale: 0 }, ...more };
    if (currency === null) return createOrder.hosted(principal, input);
    const chain = currency === 'BTC' ? 'BTC' : 'ETH';
    return createOrder.inCoin(principal, { ...input, chain, currency });
  };
  const list = async (query: Readonly<Record<string, string>>, by = user): Promise<Listed> =>
    managed<Listed>(await by.client.get(`${ORDERS}?${new URLSearchParams(query).toString()}`));
  const idsOf = ({ items }: Listed): readonly unknown[] => items.map(({ id }) => id);
  const found = async (query: Readonly<Record<string, string>>, by = user) => idsOf(await list(query, by));

  describe('the list of orders', () => {
    test('is newest first, 20 at a time, by status, chain, coin and time', async () => {
      const [merchant, start] = [await fixture.newMember(), fixture.till.clock.now()];
      const orders: Order[] = [];
      for (let n = 0; n < 22; n++) {
        fixture.till.clock.advance(1_000);
        orders.unshift(await made(merchant, [null, 'ETH', 'BTC', 'USDT-ERC20'][n % 4] ?? null));
      }
      const ids = orders.map(({ id }) => id);
      const first = await list({}, merchant);
      assert.deepEqual(idsOf(first), ids.slice(0, 20));
      const rest = await list({ cursor: first.next_cursor ?? '' }, merchant);
      assert.deepEqual([idsOf(rest), rest.next_cursor], [ids.slice(20), null]);
      assert.equal((await list({ limit: '22' }, merchant)).next_cursor, null);
      const coins = (...wanted: readonly string[]) =>
        orders.filter(({ payment }) => wanted.includes(payment?.currency ?? '')).map(({ id }) => id);
      assert.deepEqual(await found({ chain: 'ETH' }, merchant), coins('ETH', 'USDT-ERC20'));
      assert.deepEqual(await found({ coin: 'BTC' }, merchant), coins('BTC'));
      assert.deepEqual(await found({ chain: 'ETH', coin: 'BTC' }, merchant), []);
      assert.deepEqual(await found({ chain: 'NONE' }, merchant), []);
      const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
      assert.deepEqual(await found({ from: at(3), to: at(5) }, merchant), ids.slice(-4, -2));
      fixture.till.clock.advance(1_900_000);
      await fixture.till.work();
      assert.deepEqual(await found({ status: 'PENDING' }, merchant), []);
      assert.deepEqual(await found({ status: 'OVERDUE', coin: 'BTC' }, merchant), coins('BTC'));
    });

    test('shows what a dashboard needs', async () => {
      const order = await made(user, 'USDT-ERC20', { merchantReference: 'invoice 1', metadata: { cart: '7' } });
      const [record] = (await list({ limit: '1' })).items;
      const shown = {
        id: order.id,
        account: user.id,
        type: 'ORDER',
        platform: 'API',
        status: 'PENDING',
        price: '25',
        currency: 'USD',
        payment: {
          chain: 'ETH',
          chain_name: 'Ethereum',
          coin: 'USDT-ERC20',
          amount: '25',
          address: order.payment?.address,
        },
        received: null,
        tolerance_bps: 0,
        merchant_reference: 'invoice 1',
        metadata: { cart: '7' },
        pay_url: `${fixture.till.url}/checkout/${order.checkoutToken}`,
        created_at: new Date(order.createdAt).toISOString(),
        updated_at: new Date(order.updatedAt).toISOString(),
        expires_at: new Date(order.expiresAt).toISOString(),
      };
      assert.deepEqual({ ...record, ...shown }, record);
    });

    test('fault 168: q finds by id, reference, address and transaction; nobody finds another’s', async () => {
      const order = await made(user, 'ETH', { merchantReference: 'invoice 2' });
      const theirs = await made(other, 'ETH', { merchantReference: 'invoice 2' });
      const { tx_hash } = dataOf<{ tx_hash: string }>(
        await fixture.till.client.post('/sandbox/v1/pay', { order_id: order.id }),
      );
      await fixture.till.work();
      const address = order.payment?.address ?? '';
      for (const q of [order.id, address, tx_hash, tx_hash.toUpperCase().replace('0X', '0x'), tx_hash.slice(2)]) {
        assert.deepEqual(await found({ q }), [order.id], q);
        assert.deepEqual(await found({ q, status: 'SUCCESS', chain: 'ETH' }), [order.id], q);
        assert.deepEqual(await found({ q, status: 'OVERDUE' }), [], q);
        assert.deepEqual(await found({ q }, other), [], q);
        assert.deepEqual(await found({ q }, fixture.admin), [order.id], q);
      }
      assert.deepEqual(await found({ q: 'invoice 2' }), [order.id]);
      assert.deepEqual(await found({ q: 'invoice 2' }, other), [theirs.id]);
      assert.deepEqual(await found({ q: 'invoice 2' }, fixture.admin), [theirs.id, order.id]);
      assert.deepEqual(await found({ q: 'invoice' }), []);
      assert.deepEqual(await found({ q: ADDRESS }), []);
    });

    test('fault 170: a merchant sees its own orders alone, an admin all or one account’s', async () => {
      await made(other);
      assert.ok((await list({ limit: '100' })).items.every(({ account }) => account === user.id));
      assert.deepEqual(await found({ account: user.id }), await found({}));
      assertRefused(await user.client.get(`${ORDERS}?account=${other.id}`), 404);
      assertRefused(await user.client.get(`${ORDERS}?account=${UNKNOWN}`), 404);
      const accounts = (await list({ limit: '100' }, fixture.admin)).items.map(({ account }) => account);
      assert.ok(accounts.includes(user.id) && accounts.includes(other.id));
      assert.deepEqual(await found({ account: other.id }, fixture.admin), await found({}, other));
    });

    test('fault 171: a cursor is worth nothing when it is forged, damaged, another’s or of another list', async () => {
      for (let n = 0; n < 3; n++) await made(user);
      await made(other);
      await made(other);
      const { next_cursor } = await list({ limit: '1' });
      assert.ok(next_cursor);
      const theirs = (await list({ limit: '1' }, other)).next_cursor ?? '';
      const all = (await list({ limit: '1' }, fixture.admin)).next_cursor ?? '';
      const refused = async (cursor: string, more: Readonly<Record<string, string>> = {}) =>
        assertRefused(
          await user.client.get(`${ORDERS}?${new URLSearchParams({ cursor, ...more }).toString()}`),
          400,
          'cursor',
        );
      const parts = next_cursor.split('-');
      const damaged = Array.from(next_cursor, (char, at) =>
        at % 5 > 0 ? [] : [`${next_cursor.slice(0, at)}${char === '1' ? '2' : '1'}${next_cursor.slice(at + 1)}`],
      ).flat();
      const forged = [
        theirs,
        all,
        `${parts[0]}-${UNKNOWN}-${parts[2]}`,
        `${parts[0]}-${parts[1]}`,
        next_cursor.slice(1),
      ];
      for (const cursor of [...damaged, ...forged, 'x', '', `${next_cursor} `, 'null', 'a\u0000'])
        await refused(cursor);
      await refused(next_cursor, { status: 'PENDING' });
      await refused(next_cursor, { q: 'invoice 1' });
      assertRefused(
        await fixture.admin.client.get(`${ORDERS}?${new URLSearchParams({ cursor: next_cursor }).toString()}`),
        400,
        'cursor',
      );
      // The size of a page is no part of the list.
      assert.equal((await list({ cursor: next_cursor, limit: '2' })).items.length, 2);
    });

    test('what is no filter is refused by its name', async () => {
      for (const [name, value] of [
        ['limit', '0'],
        ['limit', '101'],
        ['limit', 'x'],
        ['status', 'PAID'],
        ['from', 'yesterday'],
        ['to', '2026-13-01T00:00:00Z'],
        ['q', ''],
        ['q', 'x'.repeat(2_049)],
        ['chain', ''],
      ] as const)
        assertRefused(
          await user.client.get(`${ORDERS}?${new URLSearchParams({ [name]: value }).toString()}`),
          400,
          name,
        );
      assertRefused(await user.client.get(`${ORDERS}?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z`), 400, 'from');
      assertRefused(await user.client.get(`${ORDERS}?status=PENDING&status=OVERDUE`), 400, 'status');
      assertRefused(await fixture.client.get(ORDERS), 401);
    });
  });

  test('an order has its transactions, its callbacks and its refunds with it', async () => {
    const order = await made(user, 'USDT-ERC20', { links: { callbackUrl: 'https://shop.example/paid' } });
    const path = `${ORDERS}/${order.id}`;
    const before = managed(await user.client.get(path));
    assert.deepEqual(
      [before['transactions'], before['callbacks'], before['refunds'], before['refundable'], before['received']],
      [[], [], [], false, null],
    );
    const { tx_hash } = dataOf<{ tx_hash: string }>(
      await fixture.till.client.post('/sandbox/v1/pay', { order_id: order.id }),
    );
    await fixture.till.work();
    const paid = managed<Fields & Record<'transactions' | 'callbacks', readonly Fields[]>>(await user.client.get(path));
    assert.deepEqual([paid['status'], paid['received'], paid['refund_address']], ['SUCCESS', '25', null]);
    assert.deepEqual(
      paid.transactions.map((row) => [row['tx_hash'], row['amount'], row['to_address']]),
      [[tx_hash, '25', order.payment?.address]],
    );
    assert.deepEqual(
      paid.callbacks.map(({ event }) => event),
      ['order.succeeded'],
    );
    assert.equal(managed(await fixture.admin.client.get(path))['id'], order.id);
    const unknown = assertRefused(await user.client.get(`${ORDERS}/${UNKNOWN}`), 404);
    assert.deepEqual(assertRefused(await other.client.get(path), 404), unknown);
    assert.deepEqual(assertRefused(await user.client.get(`${ORDERS}/x`), 404), unknown);
  });
});
