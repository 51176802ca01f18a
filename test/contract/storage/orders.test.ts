import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, IdempotencyClaim, Order, OrderId } from '../../../core/index.ts';
import { legalMoves, ORDER_STATUSES } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { claim, depositAddress, newOrder, NOW, order, rate, storedAccount, storedOrder } from './fixtures.ts';

eachStorage((_name, open) => {
  test('an order comes back as it was stored, payment and all', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const created = await storedOrder(storage, accountId);
    assert.equal(created.number, 1);
    assert.deepEqual(await storage.orders.find(created.id), created);
    assert.deepEqual(await storage.orders.findByCheckoutToken(created.checkoutToken), created);
    const bare = await storedOrder(storage, accountId, {
      payment: null,
      refundAddress: '0xback',
      reorgedAt: NOW,
      fixedEncryptPrice: true,
    });
    assert.deepEqual(await storage.orders.find(bare.id), bare);
  });

  test('tells when orders changed last, of those that there are', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [one, other] = [await storedOrder(storage, accountId), await storedOrder(storage, accountId)];
    await storage.transaction((tx) => tx.orders.update(other.id, { refundAddress: '0xback', updatedAt: NOW + 5 }));
    assert.deepEqual(
      await storage.orders.changedAt([one.id, other.id, '1' as OrderId]),
      new Map([
        [one.id, one.updatedAt],
        [other.id, NOW + 5],
      ]),
    );
    assert.deepEqual(await storage.orders.changedAt([]), new Map());
  });

  test('unknown ids and tokens, text with NUL too, are not found', async (t) => {
    const { storage } = await open(t);
    assert.equal(await storage.orders.find('1' as OrderId), null);
    assert.equal(await storage.orders.find('a\0b' as OrderId), null);
    assert.equal(await storage.orders.findByCheckoutToken('\0'), null);
  });

  test('parallel orders of several accounts get gapless numbers and every one is stored', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const accounts = await Promise.all([1, 2, 3].map(() => storedAccount(storage)));
    const instances = [storage, second];
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, n) => instances[n % 2]!.orders.create(newOrder(accounts[n % 3]!.id))),
    );
    for (const { id } of accounts) {
      const numbers = results.flatMap((result) =>
        result.kind === 'created' && result.order.accountId === id ? [result.order.number] : [],
      );
      assert.deepEqual(
        numbers.sort((a, b) => a - b),
        Array.from({ length: 100 }, (_, n) => n + 1),
      );
      assert.equal((await storage.orders.list(id, { page: 1, size: 1 })).total, 100);
    }
  });

  test('one bad order does not fail the orders that wait with it, and leaves no gap', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const twin = await storedOrder(storage, accountId);
    const results = await Promise.allSettled([
      storage.orders.create(newOrder(accountId)),
      storage.orders.create(newOrder(accountId, { checkoutToken: twin.checkoutToken })),
      storage.orders.create(newOrder('404' as AccountId)),
      storage.orders.create(newOrder(accountId)),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    const { total, items } = await storage.orders.list(accountId, { page: 1, size: 10 });
    assert.equal(total, 3);
    assert.deepEqual(
      items.map(({ number }) => number),
      [3, 2, 1],
    );
  });

  test('an error of a statement names no bound value', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const twin = await storedOrder(storage, accountId, { checkoutToken: 'canary-token' });
    await assert.rejects(
      storage.orders.create(newOrder(accountId, { checkoutToken: twin.checkoutToken, remark: 'canary-remark' })),
      (error: Error) => {
        const all = JSON.stringify([error.message, error.stack, error.cause, Object.values(error)]);
        return !all.includes('canary');
      },
    );
  });

  test('the same idempotency key makes one order, also within one batch and on two instances', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id: accountId } = await storedAccount(storage);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? storage : second).orders.create(
          newOrder(accountId, {}, claim('key-1', { bodyHash: `body-${n}` })),
        ),
      ),
    );
    const created = results.flatMap((result) => (result.kind === 'created' ? [result.order] : []));
    assert.equal(created.length, 1);
    const repeated = results.flatMap((result) => (result.kind === 'repeated' ? [result] : []));
    assert.equal(repeated.length, 19);
    assert.deepEqual([...new Set(repeated.map(({ orderId }) => orderId))], [created[0]!.id]);
    assert.equal(new Set(repeated.map(({ bodyHash }) => bodyHash)).size, 1);
    assert.equal((await storage.orders.list(accountId, { page: 1, size: 10 })).total, 1);
  });

  test('an idempotency key is of its account and route, and an ended claim is replaced', async (t) => {
    const { storage } = await open(t);
    const [one, two] = await Promise.all([storedAccount(storage), storedAccount(storage)]);
    const kinds = async (accountId: AccountId, idempotency: IdempotencyClaim, createdAt = NOW): Promise<string> =>
      (await storage.orders.create(newOrder(accountId, { createdAt }, idempotency))).kind;
    const ending = claim('k', { expiresAt: NOW + 10 });
    assert.equal(await kinds(one.id, ending), 'created');
    assert.equal(await kinds(two.id, ending), 'created');
    assert.equal(await kinds(one.id, { ...ending, route: '/api/order/pay-url' }), 'created');
    assert.equal(await kinds(one.id, ending, NOW + 9), 'repeated');
    assert.equal(await kinds(one.id, { ...ending, expiresAt: NOW + 500 }, NOW + 10), 'created');
    assert.equal(await kinds(one.id, ending, NOW + 11), 'repeated');
    assert.equal(await storage.orders.pruneIdempotency(NOW + 10, 1), 1);
    assert.equal(await storage.orders.pruneIdempotency(NOW + 10, 10), 1);
    assert.equal(await storage.orders.pruneIdempotency(NOW + 10, 10), 0);
    assert.equal(await kinds(one.id, ending, NOW + 11), 'repeated');
  });

  test('an address is given to one order only: by its text, its key and its index', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const address = depositAddress();
    await storage.orders.create({ order: order(accountId), depositAddress: address, idempotency: null });
    const other = depositAddress();
    for (const clash of [{ address: address.address }, { key: address.key }, { index: address.index }]) {
      await assert.rejects(
        storage.orders.create({ order: order(accountId), depositAddress: { ...other, ...clash }, idempotency: null }),
      );
    }
    assert.equal((await storage.orders.list(accountId, { page: 1, size: 10 })).total, 1);
  });

  test('a list is newest first with the exact total, and a page past the end is empty', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    assert.deepEqual(await storage.orders.list(accountId, { page: 1, size: 10 }), {
      page: 1,
      size: 10,
      total: 0,
      maxPage: 0,
      items: [],
    });
    for (let n = 0; n < 7; n++) await storedOrder(storage, accountId);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => storage.orders.list(accountId, { page, size: 3 })));
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ number }) => number)),
      [[7, 6, 5], [4, 3, 2], [1], []],
    );
    assert.deepEqual(
      pages.map(({ total, maxPage }) => [total, maxPage]),
      [
        [7, 3],
        [7, 3],
        [7, 3],
        [7, 3],
      ],
    );
    assert.equal((await storage.orders.list((await storedAccount(storage)).id, { page: 1, size: 3 })).total, 0);
  });

  test('fault 65: every legal move is made once, and a second compare-and-set from the same status fails', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    for (const [from, to] of legalMoves()) {
      const { id } = await storedOrder(storage, accountId, { status: from });
      const move = (): Promise<boolean> =>
        storage.transaction((tx) => tx.orders.move(id, from, to, { updatedAt: NOW + 1, received: 7n }));
      assert.deepEqual((await Promise.all([move(), move(), move()])).filter(Boolean).length, 1, `${from} to ${to}`);
      const moved = await storage.orders.find(id);
      assert.deepEqual([moved?.status, moved?.received, moved?.updatedAt], [to, 7n, NOW + 1]);
    }
  });

  test('the database refuses every other move of an order, whoever asks', async (t) => {
    const { storage, sql } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const legal = new Set(legalMoves().map(([from, to]) => `${from} ${to}`));
    for (const from of ORDER_STATUSES) {
      const { id } = await storedOrder(storage, accountId, { status: from });
      for (const to of ORDER_STATUSES) {
        if (from === to || legal.has(`${from} ${to}`)) continue;
        await assert.rejects(
          sql('UPDATE orders SET status = ? WHERE id = ?', [to, id]),
          /illegal change of status/,
          `${from} to ${to}`,
        );
        await assert.rejects(
          storage.transaction((tx) => tx.orders.move(id, from, to, { updatedAt: NOW })),
          /illegal change of status/,
        );
      }
    }
  });

  test('a change of the payment, the refund address and the mark of a reorganisation are stored', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const before = await storedOrder(storage, accountId, { payment: null });
    const payment = { chain: 'BTC', currency: 'BTC', units: 2n ** 200n, address: 'bc1q', rate, chosenAt: NOW + 5 };
    await storage.transaction((tx) =>
      tx.orders.update(before.id, { payment, refundAddress: 'bc1r', reorgedAt: NOW, updatedAt: NOW + 5 }),
    );
    assert.deepEqual(await storage.orders.find(before.id), {
      ...before,
      payment,
      refundAddress: 'bc1r',
      reorgedAt: NOW,
      updatedAt: NOW + 5,
    });
    await storage.transaction((tx) => tx.orders.update(before.id, { reorgedAt: null, updatedAt: NOW + 6 }));
    assert.equal((await storage.orders.find(before.id))?.reorgedAt, null);
    await assert.rejects(
      storage.transaction((tx) => tx.orders.update('404' as OrderId, { updatedAt: NOW })),
      /does not exist/,
    );
  });

  test('the history keeps its order and can not be rewritten', async (t) => {
    const { storage, sql } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const { id } = await storedOrder(storage, accountId);
    const entries = (['payment-chosen', 'deposit-other-currency', 'refund-address'] as const).map((rule, n) => ({
      orderId: id,
      at: NOW,
      from: n === 0 ? null : ('PENDING' as const),
      to: 'PENDING' as const,
      rule,
      inputs: { units: '340282366920938463463374607431768211456', n, late: true, none: null },
      rate: n === 0 ? rate : null,
    }));
    await storage.transaction(async (tx) => {
      for (const entry of entries) await tx.orders.addHistory(entry);
    });
    assert.deepEqual(await storage.orders.history(id), entries);
    await assert.rejects(sql('DELETE FROM order_history'), /append-only/);
  });

  test('fault 66: a locked order makes other transactions wait for the outcome', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const { id } = await storedOrder(storage, accountId);
    const add = (): Promise<void> =>
      storage.transaction(async (tx) => {
        const locked = await tx.orders.lock(id);
        await tx.orders.update(id, { received: locked!.received + 1n, updatedAt: NOW });
      });
    await Promise.all(Array.from({ length: 25 }, add));
    assert.equal((await storage.orders.find(id))?.received, 25n);
    assert.equal(await storage.transaction((tx) => tx.orders.lock('404' as OrderId)), null);
  });

  test('a second address on one chain is refused, another chain is not', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const { id } = await storedOrder(storage, accountId, { payment: null });
    const address = depositAddress();
    await storage.transaction((tx) =>
      tx.orders.addAddress(id, address, 'ETH', { watchUntil: NOW + 1, assignedAt: NOW }),
    );
    assert.deepEqual(await storage.transaction((tx) => tx.orders.addressOn(id, 'ETH')), address);
    assert.equal(await storage.transaction((tx) => tx.orders.addressOn(id, 'BTC')), null);
    await assert.rejects(
      storage.transaction((tx) =>
        tx.orders.addAddress(id, depositAddress(), 'ETH', { watchUntil: NOW + 1, assignedAt: NOW }),
      ),
    );
    await storage.transaction((tx) =>
      tx.orders.addAddress(id, depositAddress({ chain: 'BTC' }), 'BTC', { watchUntil: NOW + 1, assignedAt: NOW }),
    );
    await assert.rejects(
      storage.transaction((tx) =>
        tx.orders.addAddress('404' as OrderId, depositAddress(), 'ETH', { watchUntil: NOW + 1, assignedAt: NOW }),
      ),
    );
  });

  test('due for expiry: by the caller’s time, and on a chain only by that chain’s time too, oldest first', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const pay = (chain: string) => ({
      chain,
      currency: chain,
      units: 1n,
      address: `${chain}-${Math.random()}`,
      rate,
      chosenAt: NOW,
    });
    const none = await storedOrder(storage, accountId, { payment: null, expiresAt: NOW });
    const eth = await storedOrder(storage, accountId, { payment: pay('ETH'), expiresAt: NOW - 5 });
    await storedOrder(storage, accountId, { payment: pay('ETH'), expiresAt: NOW + 1 });
    await storedOrder(storage, accountId, { payment: pay('BTC'), expiresAt: NOW - 9 });
    await storedOrder(storage, accountId, { payment: null, expiresAt: NOW - 9, status: 'OVERDUE' });
    const found = (chains: [string, number][], limit = 10, after: Order | null = null) =>
      storage.orders.dueForExpiry(NOW, new Map(chains), limit, after);
    const due = async (...given: Parameters<typeof found>) => (await found(...given)).map(({ id }) => id);
    assert.deepEqual(await due([]), [none.id]);
    assert.deepEqual(await due([['ETH', NOW - 6]]), [none.id]);
    const both: [string, number][] = [
      ['ETH', NOW - 5],
      ['BTC', NOW - 10],
    ];
    assert.deepEqual(await due(both), [eth.id, none.id]);
    assert.deepEqual(await found(both), [eth, none], 'as they are stored');
    assert.deepEqual(await due([['ETH', NOW + 99]], 1), [eth.id]);
    assert.deepEqual(await due(both, 10, eth), [none.id]);
    assert.deepEqual(await due(both, 10, none), []);
    const same = await storedOrder(storage, accountId, { payment: null, expiresAt: NOW });
    assert.deepEqual(await due(both, 10, none), [same.id], 'one of the same deadline goes by its id');
    assert.equal(
      (
        await due([
          ['ETH', NOW + 99],
          ['BTC', NOW],
        ])
      ).length,
      4,
    );
  });

  test('due for reversal: marked, finished, and out of its watch window', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const marked = { reorgedAt: NOW - 1, watchUntil: NOW, status: 'SUCCESS' } as const;
    const due = await storedOrder(storage, accountId, marked);
    await storedOrder(storage, accountId, { ...marked, reorgedAt: null });
    await storedOrder(storage, accountId, { ...marked, watchUntil: NOW + 1 });
    await storedOrder(storage, accountId, { ...marked, status: 'REFUNDED' });
    assert.deepEqual(await storage.orders.dueForReversal(NOW, 10), [due.id]);
  });

  test('decided again: what was marked, once it is unmarked no more', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [first, second] = [await storedOrder(storage, accountId), await storedOrder(storage, accountId)];
    const mark = (id: OrderId, at: number | null) => storage.transaction((tx) => tx.orders.decideAgain(id, at));
    assert.deepEqual(await storage.orders.dueForDecision(10), []);
    await mark(second.id, NOW);
    await mark(first.id, NOW + 1);
    assert.deepEqual(await storage.orders.dueForDecision(10), [second.id, first.id]);
    assert.deepEqual(await storage.orders.dueForDecision(1), [second.id]);
    await mark(second.id, null);
    assert.deepEqual(await storage.orders.dueForDecision(10), [first.id]);
  });
});
