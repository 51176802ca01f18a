import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pgDialect } from '../../../adapters/storage/knex/dialects/pg-dialect.ts';
import { sqliteDialect } from '../../../adapters/storage/knex/dialects/sqlite-dialect.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { claim, newOrder, NOW, storedAccount, storedOrder } from './fixtures.ts';

eachStorage((_name, open) => {
  test('fault 164: of orders with one reference that are created at once, by two instances too, one is stored', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id: accountId } = await storedAccount(storage);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? storage : second).orders.create(
          newOrder(accountId, { merchantReference: 'invoice 7' }, n % 4 < 2 ? null : claim(`key-${n}`)),
        ),
      ),
    );
    const made = results.flatMap((result) => (result.kind === 'created' ? [result.order.id] : []));
    assert.equal(made.length, 1);
    const taken = results.flatMap((result) => (result.kind === 'reference-taken' ? [result.orderId] : []));
    assert.deepEqual(taken, Array(19).fill(made[0]));
    // The refused ones used no number and claimed no key.
    assert.equal((await storedOrder(storage, accountId)).number, 2);
    const refused = newOrder(accountId, { merchantReference: 'invoice 7' }, claim('key-x'));
    assert.equal((await storage.orders.create(refused)).kind, 'reference-taken');
    const freed = newOrder(accountId, { merchantReference: 'invoice 8' }, claim('key-x'));
    assert.equal((await storage.orders.create(freed)).kind, 'created');
  });

  test('fault 164: the index of the database decides, whoever asks', async (t) => {
    const { storage, sql } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [one, two] = [await storedOrder(storage, accountId), await storedOrder(storage, accountId)];
    const name = (id: string): Promise<unknown> =>
      sql(`UPDATE orders SET merchant_reference = 'invoice 7' WHERE id = '${id}'`);
    await name(one.id);
    await assert.rejects(name(two.id));
  });

  test('the same request under the same idempotency key is the first order, though its reference is taken', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id: accountId } = await storedAccount(storage);
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (n % 2 === 0 ? storage : second).orders.create(
          newOrder(accountId, { merchantReference: 'invoice 7' }, claim('key-1')),
        ),
      ),
    );
    assert.deepEqual(results.map(({ kind }) => kind).sort(), ['created', ...Array<string>(9).fill('repeated')]);
    const late = newOrder(accountId, { merchantReference: 'invoice 7', createdAt: NOW + 86_400_001 }, claim('key-1'));
    assert.equal((await storage.orders.create(late)).kind, 'reference-taken');
  });

  test('orders that wait together: a taken reference fails its own order alone', async (t) => {
    const { storage } = await open(t);
    const [one, two] = await Promise.all([storedAccount(storage), storedAccount(storage)]);
    await storedOrder(storage, one.id, { merchantReference: 'a' });
    const results = await Promise.all([
      storage.orders.create(newOrder(one.id, { merchantReference: 'b' })),
      storage.orders.create(newOrder(one.id, { merchantReference: 'a' })),
      storage.orders.create(newOrder(two.id, { merchantReference: 'a' })),
      storage.orders.create(newOrder(one.id)),
    ]);
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ['created', 'reference-taken', 'created', 'created'],
    );
  });

  test('a batch is one statement: each order is stored with its number and address, or claims nothing', async (t) => {
    const { storage, engine, sql } = await open(t);
    const [one, two] = await Promise.all([storedAccount(storage), storedAccount(storage)]);
    await storage.orders.create(newOrder(one.id, { merchantReference: 'a' }, claim('live')));
    await storage.orders.create(newOrder(one.id, { merchantReference: 'b' }, claim('ended', { expiresAt: NOW })));
    const batch = [
      newOrder(one.id, { merchantReference: 'c' }, claim('new')),
      newOrder(one.id, { merchantReference: 'a' }),
      newOrder(one.id, { merchantReference: 'b' }, claim('kept')),
      newOrder(two.id, { merchantReference: 'a' }, claim('live')),
      newOrder(one.id, {}, claim('live')),
      newOrder(one.id, { payment: null, hosted: true }, claim('ended')),
      newOrder(two.id),
    ];
    const dialect = engine === 'pg' ? pgDialect : sqliteDialect;
    const numbers = await dialect.storeOrders(
      (text, values = []) => sql(text, values as (string | number)[]),
      tablesOf(''),
      batch,
    );
    assert.deepEqual(
      batch.map(({ order }) => numbers.get(order.id) ?? null),
      [3, null, null, 1, null, 4, 2],
    );
    const stored = async (table: string, column: string): Promise<readonly number[]> => {
      const ids = new Set((await sql(`SELECT ${column} AS id FROM ${table}`)).map(({ id }) => id));
      return batch.flatMap(({ order }, place) => (ids.has(order.id) ? [place] : []));
    };
    assert.deepEqual(await stored('orders', 'id'), [0, 3, 5, 6]);
    assert.deepEqual(await stored('order_addresses', 'order_id'), [0, 3, 6]);
    assert.deepEqual(await stored('idempotency_claims', 'order_id'), [0, 3, 5]);
  });

  test('metadata comes back as it was stored', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const metadata = { cart: '7c1f', 'Größe ☕': '"large", \\ \'x\'', 10: '', constructor: 'x' };
    const { id } = await storedOrder(storage, accountId, { metadata, merchantReference: 'Счёт 5' });
    const found = await storage.orders.find(id);
    assert.deepEqual([found?.metadata, found?.merchantReference], [metadata, 'Счёт 5']);
  });
});
