import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEPOSIT_STATUSES, DEPOSIT_TRANSITIONS } from '../../../core/index.ts';
import type { DepositId, DepositStatus, OrderId, Storage, WatchedAddress } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import {
  deposit,
  depositAddress,
  newOrder,
  NOW,
  order,
  storedAccount,
  storedOrder,
  transactionRow,
} from './fixtures.ts';

const legal = new Set(
  Object.values(DEPOSIT_TRANSITIONS).flatMap(({ from, to }) => from.map((status) => `${status} ${to}`)),
);

async function watchedBy({ deposits }: Storage, now = NOW, since = 0) {
  const addresses: Pick<WatchedAddress, 'key' | 'currency' | 'watchUntil'>[] = [];
  const asOf = await deposits.watched('ETH', now, since, (address) => addresses.push(address));
  return { addresses, asOf };
}

eachStorage((_name, open) => {
  test('fault 52: the same transfer is stored once, however often and from wherever it is reported', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const transfer = { txid: '0xsame', index: '3' };
    const reports = Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? storage : second).transaction((tx) => tx.deposits.add(deposit(made, transfer))),
    );
    assert.equal((await Promise.all(reports)).filter(Boolean).length, 1);
    assert.equal((await storage.deposits.byOrder(made.id)).length, 1);
    assert.equal(await storage.transaction((tx) => tx.deposits.add(deposit(made, { ...transfer, index: '4' }))), true);
    assert.equal(
      await storage.transaction((tx) => tx.deposits.add(deposit(made, { ...transfer, chain: 'BSC' }))),
      true,
    );
  });

  test('a deposit comes back as it was stored and is found by its transfer', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const whole = deposit(made, {
      units: 2n ** 256n - 1n,
      lossUnits: 2n ** 64n + 1n,
      returnCostUnits: 2n ** 65n + 1n,
      creditedAt: NOW,
      credits: 2,
      fromAddress: null,
    });
    await storage.transaction((tx) => tx.deposits.add(whole));
    assert.deepEqual(await storage.deposits.byOrder(made.id), [whole]);
    await storage.transaction(async (tx) => {
      assert.deepEqual(await tx.deposits.lock(whole.id), whole);
      assert.deepEqual(await tx.deposits.lockByTransactions(whole.chain, [whole.txid, '0xnone']), [whole]);
      assert.deepEqual(await tx.deposits.lockByTransactions(whole.chain, ['0xnone']), []);
      assert.deepEqual(await tx.deposits.lockAll([whole.id, '404' as DepositId]), [whole]);
      assert.equal(await tx.deposits.hasAny(made.id), true);
      assert.equal(await tx.deposits.hasAny('404' as OrderId), false);
      assert.equal(await tx.deposits.lock('404' as DepositId), null);
      assert.deepEqual(await tx.deposits.byOrder(made.id), [whole]);
    });
  });

  test('a deposit of an unknown order is refused', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    await assert.rejects(storage.transaction((tx) => tx.deposits.add(deposit({ id: '404' as OrderId, accountId }))));
  });

  test('deposits of an order come in the order they were first seen, several orders at once too', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [one, two] = [await storedOrder(storage, accountId), await storedOrder(storage, accountId)];
    const later = deposit(one, { seenAt: NOW + 2 });
    const sooner = deposit(one, { seenAt: NOW + 1 });
    const other = deposit(two, { seenAt: NOW });
    await storage.transaction(async (tx) => {
      for (const each of [later, sooner, other]) await tx.deposits.add(each);
    });
    assert.deepEqual(await storage.deposits.byOrder(one.id), [sooner, later]);
    assert.deepEqual(await storage.deposits.byOrders([one.id, two.id]), [other, sooner, later]);
    assert.deepEqual(await storage.deposits.byOrders([]), []);
  });

  test('a compare-and-set of the status is made once, and the database refuses every other move', async (t) => {
    const { storage, sql } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    for (const from of DEPOSIT_STATUSES) {
      for (const to of DEPOSIT_STATUSES) {
        if (from === to) continue;
        const some = deposit(made, { status: from });
        await storage.transaction((tx) => tx.deposits.add(some));
        const move = (expected: DepositStatus = from): Promise<boolean> =>
          storage.transaction((tx) =>
            tx.deposits.move(some.id, expected, to, {
              credits: 1,
              creditedAt: NOW,
              blockHeight: 7,
              blockHash: '0x7',
              lossUnits: 3n,
            }),
          );
        if (!legal.has(`${from} ${to}`)) {
          await assert.rejects(move(), /illegal change of status/, `${from} to ${to}`);
          await assert.rejects(
            sql('UPDATE deposits SET status = ? WHERE id = ?', [to, some.id]),
            /illegal change of status/,
          );
          continue;
        }
        assert.equal((await Promise.all([move(), move()])).filter(Boolean).length, 1, `${from} to ${to}`);
        const [now] = await storage.transaction(async (tx) => [await tx.deposits.lock(some.id)]);
        assert.deepEqual(now, {
          ...some,
          status: to,
          credits: 1,
          creditedAt: NOW,
          blockHeight: 7,
          blockHash: '0x7',
          lossUnits: 3n,
        });
      }
    }
  });

  test('fault 330: a dead transfer leaves its place to another of other facts, and one of them at most is live', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const place = { txid: '0xsame', index: '3' };
    const dead = deposit(made, { ...place, status: 'ORPHANED', units: 9n });
    const [other, live] = [deposit(made, { ...place, status: 'ORPHANED', units: 8n }), deposit(made, place)];
    await storage.transaction((tx) => tx.deposits.addAll([dead, other, live]));
    await storage.transaction(async (tx) => {
      const found = await tx.deposits.lockByTransactions('ETH', ['0xsame']);
      assert.deepEqual(new Set(found.map(({ id }) => id)), new Set([dead.id, other.id, live.id]));
      assert.equal(await tx.deposits.add(deposit(made, place)), false);
    });
    await assert.rejects(storage.transaction((tx) => tx.deposits.addAll([deposit(made), deposit(made, place)])));
    await assert.rejects(storage.transaction((tx) => tx.deposits.move(dead.id, 'ORPHANED', 'SEEN', {})));
    await storage.transaction(async (tx) => {
      assert.equal(await tx.deposits.move(live.id, 'SEEN', 'ORPHANED', {}), true);
      assert.equal(await tx.deposits.move(dead.id, 'ORPHANED', 'SEEN', {}), true);
    });
    assert.deepEqual(
      (await storage.deposits.byOrder(made.id)).filter(({ status }) => status === 'SEEN').map(({ id }) => id),
      [dead.id],
    );
  });

  test('what a reversal has cost is set of an orphaned deposit only', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const [dead, live] = [deposit(made, { status: 'ORPHANED', lossUnits: 9n }), deposit(made)];
    await storage.transaction((tx) => tx.deposits.addAll([dead, live]));
    await storage.transaction((tx) => tx.deposits.setLoss(dead.id, 4n));
    assert.equal((await storage.deposits.find(dead.id))?.lossUnits, 4n);
    await assert.rejects(storage.transaction((tx) => tx.deposits.setLoss(live.id, 4n)));
  });

  test('several deposits change their status together or not at all', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const seen = [deposit(made), deposit(made)].map((each) => ({ ...each, status: 'SEEN' as const }));
    const [one, two] = seen.map(({ id }) => id) as [DepositId, DepositId];
    await storage.transaction((tx) => tx.deposits.addAll(seen));
    assert.equal(await storage.transaction((tx) => tx.deposits.moveAll([one, two], 'SEEN', 'DUST')), true);
    assert.equal(await storage.transaction((tx) => tx.deposits.moveAll([one], 'SEEN', 'DUST')), false);
    await assert.rejects(
      storage.transaction((tx) => tx.deposits.moveAll([one], 'DUST', 'CREDITED')),
      /illegal change of status/,
    );
  });

  test('due deposits: SEEN and CREDITED up to their heights, by order, those with the fewest first', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [many, few] = [await storedOrder(storage, accountId), await storedOrder(storage, accountId)];
    const all = DEPOSIT_STATUSES.flatMap((status) =>
      [98, 99, 100, 101].map((blockHeight) => deposit(many, { status, blockHeight })),
    );
    const other = deposit(few, { status: 'SEEN', blockHeight: 100 });
    await storage.transaction((tx) => tx.deposits.addAll([...all, other, deposit(few, { chain: 'BSC' })]));
    const heights = { credit: 100, spend: 98 };
    const wanted = all.filter(
      ({ status, blockHeight }) =>
        (status === 'SEEN' && blockHeight <= 100) || (status === 'CREDITED' && blockHeight <= 98),
    );
    assert.equal(wanted.length, 4);
    assert.deepEqual(await storage.deposits.dueOrders('ETH', heights), [
      { orderId: few.id, deposits: 1 },
      { orderId: many.id, deposits: 4 },
    ]);
    const page = (ids: readonly OrderId[], after: DepositId | null, limit: number) =>
      storage.deposits.due('ETH', heights, ids, { after, limit });
    const first = await page([many.id], null, 3);
    const rest = await page([many.id], first.at(-1)?.id ?? null, 3);
    assert.deepEqual([...first, ...rest], wanted);
    assert.deepEqual(
      await page([few.id, many.id], null, 9),
      [...wanted, other].sort((a, b) => (a.orderId < b.orderId ? -1 : a.orderId > b.orderId ? 1 : 0)),
    );
    assert.deepEqual(await storage.deposits.dueOrders('ETH', { credit: 97, spend: 97 }), []);
  });

  test('deposits above a height leave out what is orphaned already', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const [below, high, top] = [
      deposit(made, { blockHeight: 5 }),
      deposit(made, { blockHeight: 7, status: 'SPENDABLE' }),
      deposit(made, { blockHeight: 6 }),
    ];
    await storage.transaction(async (tx) => {
      for (const each of [
        below,
        high,
        top,
        deposit(made, { blockHeight: 9, status: 'ORPHANED' }),
        deposit(made, { blockHeight: 9, chain: 'BSC' }),
      ])
        await tx.deposits.add(each);
      assert.deepEqual(await tx.deposits.above('ETH', 5), [top, high]);
    });
  });

  test('transactions are numbered without gaps, also when some of them roll back', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        storage.transaction(async (tx) => {
          await tx.deposits.addTransaction(transactionRow(deposit(made, { units: 10n ** 30n })));
          if (n % 4 === 0) throw new Error('not this one');
        }),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 5);
    const page = await storage.deposits.transactions(made.accountId, { page: 2, size: 10 });
    assert.deepEqual([page.total, page.maxPage], [15, 2]);
    assert.deepEqual(
      page.items.map(({ number }) => number),
      [5, 4, 3, 2, 1],
    );
    assert.equal(page.items[0]?.units, 10n ** 30n);
    assert.equal((await storage.deposits.transactions('404' as never, { page: 1, size: 10 })).total, 0);
    // Transactions have their own numbers, so an order still gets the next order number.
    assert.equal((await storedOrder(storage, made.accountId)).number, 2);
  });

  test('the status of a transaction changes, of an unknown one it does not', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const row = transactionRow(deposit(made), { status: 'PENDING', txHash: null, orderId: null, fromAddress: null });
    await storage.transaction((tx) => tx.deposits.addTransaction(row));
    await storage.transaction((tx) => tx.deposits.setTransactionStatus([row.id, '404'], 'FAILED'));
    assert.deepEqual((await storage.deposits.transactions(made.accountId, { page: 1, size: 10 })).items, [
      { ...row, number: 1, status: 'FAILED' },
    ]);
  });

  test('watched addresses: those whose watch has not ended, all at first and then what is new', async (t) => {
    const { storage, sql } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [watched, ended, foreign] = [
      newOrder(accountId, { watchUntil: NOW + 1 }),
      newOrder(accountId, { watchUntil: NOW }),
      newOrder(accountId),
    ];
    await Promise.all([watched, ended].map((each) => storage.orders.create(each)));
    await storage.orders.create({ ...foreign, depositAddress: depositAddress({ chain: 'BSC' }) });
    const { addresses, asOf } = await watchedBy(storage);
    const { key, address } = watched.depositAddress!;
    const openUntil = watched.order.expiresAt;
    assert.deepEqual(addresses, [{ key, currency: 'USDT-ERC20', watchUntil: NOW + 1, openUntil }]);
    assert.deepEqual(await storage.deposits.owners('ETH', [key]), [
      {
        key,
        address,
        orderId: watched.order.id,
        accountId,
        currency: 'USDT-ERC20',
        watchUntil: NOW + 1,
        assignedAt: watched.order.createdAt,
        assignedHeight: null,
      },
    ]);
    const keys = async (since: number): Promise<string[]> =>
      (await watchedBy(storage, NOW, since)).addresses.map((each) => each.key);
    assert.deepEqual(await keys(asOf), [key], 'a look goes back far enough for what was committed late');
    await sql('UPDATE order_addresses SET created_at = created_at - 100000');
    assert.deepEqual(await keys(asOf), []);
    await storage.transaction((tx) => tx.orders.setAddressCurrency(watched.order.id, 'ETH', 'ETH'));
    assert.deepEqual(await keys(asOf), [key], 'a change of the wanted currency is new');
    await storage.transaction((tx) => tx.orders.extendWatch(ended.order.id, 'ETH', NOW + 9));
    await storage.transaction((tx) => tx.orders.extendWatch(watched.order.id, 'ETH', NOW - 9));
    assert.deepEqual(
      new Set(await keys(asOf)),
      new Set([key, ended.depositAddress!.key]),
      'an extended watch is new, and never gets shorter',
    );
    await assert.rejects(
      storage.transaction((tx) => tx.orders.extendWatch(watched.order.id, 'BTC', NOW)),
      /no address/,
    );
  });

  test('the watch list is complete across the chunks in which it is read', async (t) => {
    const { storage, sql } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    for (let start = 0; start < 20_500; start += 500) {
      const rows = Array.from({ length: 500 }, (_, n) => `9${String(start + n).padStart(18, '0')}`);
      const values = rows.map(
        (id) =>
          `('${id}','${accountId}','ETH','ETH','0x${id}','k${id}','w',${Number(id.slice(-6))},${NOW + 1 + (start % 1500)},1,${start % 1000 === 0 ? 7 : 'NULL'})`,
      );
      await sql(
        `INSERT INTO order_addresses (order_id, account_id, chain, currency, address, watch_key, wallet_id, address_index, watch_until, created_at, compared_height) VALUES ${values.join(',')}`,
      );
    }
    const { addresses } = await watchedBy(storage);
    assert.equal(new Set(addresses.map(({ key }) => key)).size, 20_500);
    assert.equal(addresses.length, 20_500);
    // Half of them were compared already, and are in an index of their own.
    const ends = addresses.map(({ watchUntil }) => watchUntil);
    assert.deepEqual(
      ends,
      ends.toSorted((a, b) => a - b),
    );
    const turn = async (name: 'new' | 'watched'): Promise<readonly (number | null)[]> => {
      const found: (number | null)[] = [];
      for (let after: string | null = null; ;) {
        const part = await storage.comparisons.next('ETH', name, { after, now: NOW, limit: 3_000 });
        if (part.last === null) return found;
        found.push(...part.addresses.map(({ comparedHeight }) => comparedHeight));
        after = part.last;
      }
    };
    const every = await turn('watched');
    assert.equal(every.length, 20_500);
    assert.equal(every.filter((height) => height === null).length, 10_000);
    assert.deepEqual(new Set(await turn('new')), new Set([null]));
    assert.equal(new Set((await watchedBy(storage, NOW, 1)).addresses.map(({ key }) => key)).size, 20_500);
    // A third of the 41 blocks of 500 ends at each of three times.
    assert.equal((await watchedBy(storage, NOW + 501)).addresses.length, 13 * 500);
  });

  test('owners are found by key, watched or not any more', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const ended = newOrder(accountId, { watchUntil: NOW - 1 });
    await storage.orders.create(ended);
    await storage.orders.create({ order: order(accountId), depositAddress: null, idempotency: null });
    const keys = [ended.depositAddress!.key, 'unknown', ...Array.from({ length: 4_100 }, (_, n) => `k${n}`)];
    assert.deepEqual(
      (await storage.deposits.owners('ETH', keys)).map(({ orderId }) => orderId),
      [ended.order.id],
    );
    assert.deepEqual(await storage.deposits.owners('BSC', keys), []);
    assert.deepEqual(await storage.deposits.owners('ETH', []), []);
  });
});
