import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStorage } from '../../../adapters/storage/knex/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import type { Lease } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { silentLogger, openStorageAlone } from '../../support/storage.ts';
import { waitFor } from '../../support/wait.ts';
import { callback, deposit, depositAddress, entry, NOW, storedAccount, storedOrder } from './fixtures.ts';

const lost = (error: unknown): boolean => isTillgateError(error, 'LEASE_LOST');

eachStorage((name, open) => {
  test('a transaction that fails leaves nothing of what it wrote', async (t) => {
    const { storage, sql } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    await storage.chains.initialise('ETH', 'eip155:1');
    const tables = [
      'deposits',
      'ledger_entries',
      'ledger_postings',
      'ledger_balances',
      'callbacks',
      'chain_blocks',
      'order_history',
      'transactions',
    ];
    const failure = new Error('at the very end');
    const work = storage.transaction(async (tx) => {
      await tx.deposits.add(deposit(made));
      await tx.ledger.append(entry(made.accountId, 'r', 1n));
      await tx.callbacks.add(callback(made));
      await tx.chains.addBlocks('ETH', [{ height: 1, hash: 'a', parentHash: 'b', time: NOW }], 0);
      await tx.orders.addHistory({
        orderId: made.id,
        at: NOW,
        from: null,
        to: 'PENDING',
        rule: 'created',
        inputs: {},
        rate: null,
      });
      await tx.orders.addAddress(made.id, depositAddress({ chain: 'BTC' }), 'BTC', {
        watchUntil: NOW,
        assignedAt: NOW,
      });
      assert.equal(await tx.orders.move(made.id, 'PENDING', 'SUCCESS', { updatedAt: NOW + 1 }), true);
      throw failure;
    });
    await assert.rejects(work, (error) => error === failure);
    for (const table of tables) assert.equal((await sql(`SELECT 1 FROM ${table}`)).length, 0, table);
    assert.deepEqual(await storage.orders.find(made.id), made);
  });

  test('fault 402: a storage without a dispatcher commits no change that has to be reported', async (t) => {
    const { storage, config } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const bare = await openStorage(config, { logger: silentLogger });
    t.after(() => bare.close());
    const adding = bare.transaction((tx) => tx.deposits.add(deposit(made)));
    await assert.rejects(
      adding,
      (error) => isTillgateError(error, 'CONFIG_INVALID') && error.message.includes('dispatchTo'),
    );
    assert.deepEqual(await storage.deposits.byOrder(made.id), []);
  });

  test('a transaction answers with what its work answered, and reads what it wrote', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const seen = await storage.transaction(async (tx) => {
      await tx.deposits.add(deposit(made));
      return (await tx.deposits.byOrder(made.id)).length;
    });
    assert.equal(seen, 1);
  });

  test('statements that still run beside one that failed leave nothing either', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    for (let round = 0; round < 10; round++) {
      const work = storage.transaction((tx) =>
        Promise.all([
          tx.orders.move(made.id, 'PENDING', 'REFUNDED', { updatedAt: NOW }),
          ...Array.from({ length: 6 }, () => tx.deposits.add(deposit(made))),
        ]),
      );
      await assert.rejects(work, /illegal change of status/);
    }
    assert.deepEqual(await storage.deposits.byOrder(made.id), []);
    assert.deepEqual(await storage.orders.find(made.id), made);
  });

  test('fault 65: a call past the open transaction is refused, where it would wait for itself or read the past', async (t) => {
    const { storage } = await open(t);
    const { id } = await storedAccount(storage);
    const made = await storedOrder(storage, id);
    const bypasses: (() => Promise<unknown>)[] = [
      () => storage.orders.find(made.id),
      () => storage.orders.create({ order: made, depositAddress: null, idempotency: null }),
      () => storage.chains.setHalted('ETH', 'x'),
      () => storage.accounts.findByApiKeyHash('x'),
      () => storage.transaction(async () => undefined),
      () => storage.ledger.driftedBalances(1),
    ];
    for (const bypass of bypasses)
      await assert.rejects(storage.transaction(bypass), /inside a transaction, but not through it/);
    // Work that outlives the transaction may use the storage again.
    let after: Promise<unknown> | undefined;
    let release: () => void = () => {};
    await storage.transaction(async () => {
      after = new Promise<void>((resolve) => (release = resolve)).then(() => storage.orders.find(made.id));
    });
    release();
    assert.deepEqual(await after, made);
  });

  test('the transaction of another storage is not in the way, and does not hide that of the own', async (t) => {
    const [{ storage }, { storage: other }] = [await open(t), await open(t)];
    const past = (each: typeof storage) => each.accounts.findByApiKeyHash('x');
    await storage.transaction(async () => {
      assert.equal(await past(other), null);
      await other.transaction(async () => {
        for (const each of [storage, other])
          await assert.rejects(past(each), /inside a transaction, but not through it/);
      });
      assert.equal(await past(other), null);
    });
    assert.equal(await past(storage), null);
  });

  test('a statement after its transaction has ended is refused', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const kept = await storage.transaction(async (tx) => tx);
    await assert.rejects(kept.orders.lock(made.id), /after the end of its transaction/);
    await assert.rejects(
      storage.transaction(async (tx) => {
        void tx.orders.lock(made.id).catch(() => undefined);
      }),
      /still running/,
    );
    assert.deepEqual(await storage.orders.find(made.id), made);
  });

  test('fault 65: a transaction that waits for itself ends as NOT_READY, also where nesting is not watched for', async (t) => {
    const { storage, config } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const short = await openStorageAlone(config, { logger: silentLogger, limits: { idleMs: 50, lifetimeMs: 300 } });
    t.after(() => short.close());
    const notReady = (error: unknown): boolean => isTillgateError(error, 'NOT_READY');
    let inner: Promise<unknown> | undefined;
    const stuck = short.transaction(async (tx) => {
      await tx.orders.lock(made.id);
      // On SQLite it waits for the only writing connection, on PostgreSQL for the row: this transaction holds both.
      inner = short.transaction((other) => other.orders.update(made.id, { received: 1n, updatedAt: NOW }));
      await inner;
    });
    await assert.rejects(stuck, notReady);
    await inner;
    assert.equal((await short.orders.find(made.id))?.received, 1n);
    const endless = short.transaction(async (tx) => {
      for (const end = performance.now() + 350; performance.now() < end;) await tx.orders.lock(made.id);
      await tx.orders.update(made.id, { received: 2n, updatedAt: NOW });
    });
    await assert.rejects(endless, notReady);
    assert.equal((await short.orders.find(made.id))?.received, 1n);
  });

  test('a lease is held by one, prolonged by its holder, and its fence grows with each new holder', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const first = await storage.leases.acquire('follow:ETH', 'one', 60_000);
    assert.deepEqual(first, { name: 'follow:ETH', owner: 'one', fence: 1 });
    assert.equal(await second.leases.acquire('follow:ETH', 'two', 60_000), null);
    assert.deepEqual(await storage.leases.acquire('follow:ETH', 'one', 60_000), first);
    await storage.leases.release(first);
    const next = await second.leases.acquire('follow:ETH', 'two', 60_000);
    assert.deepEqual(next, { name: 'follow:ETH', owner: 'two', fence: 2 });
    await storage.leases.release(first);
    assert.equal(await storage.leases.acquire('follow:ETH', 'one', 1), null, 'an old release frees nothing');
    const race = await Promise.all(
      ['a', 'b', 'c', 'd'].map((owner, n) => (n % 2 === 0 ? storage : second).leases.acquire('race', owner, 60_000)),
    );
    assert.equal(race.filter((lease) => lease !== null).length, 1);
  });

  test('fault 41: who has lost a lease can not write under it, and who holds it is not overtaken before the commit', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    await storage.chains.initialise('ETH', 'eip155:1');
    const lapsing = (await storage.leases.acquire('l', 'one', 1))!;
    const write = (lease: Lease, at: number): Promise<void> =>
      storage.transaction(async (tx) => {
        await tx.leases.check(lease);
        await tx.chains.setCaughtUp('ETH', at);
      });
    await write(lapsing, 1);
    const taken = await waitFor(() => second.leases.acquire('l', 'two', 60_000));
    assert.equal(taken.fence, lapsing.fence + 1);
    await assert.rejects(write(lapsing, 2), lost);
    await write(taken, 3);
    assert.equal((await storage.chains.state('ETH'))?.caughtUpAt, 3);
    await assert.rejects(write({ ...taken, owner: 'one' }, 4), lost);
    await assert.rejects(write({ name: 'none', owner: 'one', fence: 1 }, 4), lost);

    const short = (await storage.leases.acquire('short', 'one', 1))!;
    let overtaking: Promise<Lease | null> | undefined;
    const order: string[] = [];
    await storage.transaction(async (tx) => {
      await tx.leases.check(short);
      overtaking = another()
        .then((third) => third.leases.acquire('short', 'two', 60_000))
        .finally(() => order.push('overtaken'));
      for (let n = 0; n < 20; n++) await tx.leases.check(short);
      order.push('committing');
    });
    assert.equal((await overtaking)?.fence, 2);
    assert.deepEqual(order, ['committing', 'overtaken']);
  });

  test('instances get the lowest free numbers, each its own again', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const nodes = await Promise.all(
      ['a', 'b', 'c'].map((owner, n) => (n === 1 ? second : storage).leases.acquireNode(owner, 60_000, 2)),
    );
    assert.deepEqual(nodes.map((each) => each?.node).sort(), [0, 1, 2]);
    assert.equal(await storage.leases.acquireNode('d', 60_000, 2), null);
    const [own] = nodes;
    assert.deepEqual(await storage.leases.acquireNode('a', 60_000, 2), own);
    await storage.leases.release(nodes[1]!.lease);
    const inherited = await storage.leases.acquireNode('d', 60_000, 2);
    assert.equal(inherited?.node, nodes[1]!.node);
    assert.equal(inherited.lease.name, `node:${inherited.node}`);
    assert.deepEqual((await storage.leases.acquireNode('a', 60_000, 2))?.node, own!.node);
  });

  test('a document is written from the version that its writer read', async (t) => {
    const { storage } = await open(t);
    assert.equal(await storage.documents.read('k'), null);
    assert.deepEqual(
      (await Promise.all([1, 2, 3].map((n) => storage.documents.write('k', `v${n}`, 0)))).filter(Boolean).length,
      1,
    );
    assert.equal(await storage.documents.write('k', 'second', 1), true);
    assert.equal(await storage.documents.write('k', 'stale', 1), false);
    assert.equal(await storage.documents.write('absent', 'x', 3), false);
    assert.deepEqual(await storage.documents.read('k'), { value: 'second', version: 2 });
  });

  test('several instances migrate at once, and a restart finds everything done', async (t) => {
    const { storage, another, sql } = await open(t);
    const before = await sql('SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name');
    await Promise.all([storage, await another(), await another()].map((each) => each.migrate()));
    assert.deepEqual(await sql('SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name'), before);
  });

  test('two prefixes are two tills in one database', async (t) => {
    const { storage, another } = await open(t);
    const prefixed = await Promise.all([1, 2, 3].map(() => another({ tablePrefix: 'shop_' })));
    await Promise.all(prefixed.map((each) => each.migrate()));
    const { id } = await storedAccount(prefixed[0]!);
    const made = await storedOrder(prefixed[0]!, id);
    assert.deepEqual(await prefixed[1]!.orders.find(made.id), made);
    assert.equal(await storage.orders.find(made.id), null);
    await assert.rejects(
      prefixed[0]!.transaction((tx) => tx.orders.move(made.id, 'PENDING', 'REFUNDED', { updatedAt: NOW })),
      /illegal change of status/,
    );
    await assert.rejects(another({ tablePrefix: 'x"; --' }), (error) => isTillgateError(error, 'CONFIG_INVALID'));
  });

  test('a database that a newer release has migrated is refused', async (t) => {
    const { storage, sql } = await open(t);
    await sql("INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ('9999-later', '', 0)");
    await assert.rejects(
      storage.migrate(),
      (error) => isTillgateError(error, 'CONFIG_INVALID') && /9999-later/.test(error.message),
    );
  });

  test('triggers of another text are replaced by those of this release', async (t) => {
    const { storage, sql } = await open(t);
    await sql(name === 'pg' ? 'DROP TRIGGER orders_moves ON orders' : 'DROP TRIGGER orders_moves');
    await sql("UPDATE schema_migrations SET checksum = 'former' WHERE name = 'rules'");
    await storage.migrate();
    const { id } = await storedOrder(storage, (await storedAccount(storage)).id);
    await assert.rejects(
      sql('UPDATE orders SET status = ? WHERE id = ?', ['REFUNDED', id]),
      /illegal change of status/,
    );
  });

  test('after closing, every call is refused as not ready', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    await second.ping();
    assert.deepEqual(await second.integrity(), []);
    await Promise.all([second.close(), second.close()]);
    const notReady = (error: unknown): boolean => isTillgateError(error, 'NOT_READY');
    await assert.rejects(second.ping(), notReady);
    await assert.rejects(
      second.transaction(async () => 1),
      notReady,
    );
    await assert.rejects(
      second.orders.create({
        order: await storedOrder(storage, (await storedAccount(storage)).id),
        depositAddress: null,
        idempotency: null,
      }),
      notReady,
    );
  });
});
