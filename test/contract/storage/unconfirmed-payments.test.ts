import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNCONFIRMED_PAYMENT_STATUSES, UNCONFIRMED_PAYMENT_TRANSITIONS } from '../../../core/index.ts';
import type { Order, OrderId, UnconfirmedPayment } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { nextId, NOW, storedAccount, storedOrder } from './fixtures.ts';

const legal = new Set(
  Object.values(UNCONFIRMED_PAYMENT_TRANSITIONS).flatMap(({ from, to }) => from.map((status) => `${status} ${to}`)),
);

function unconfirmed(of: Pick<Order, 'id'>, given: Partial<UnconfirmedPayment> = {}): UnconfirmedPayment {
  const id = nextId();
  return {
    chain: 'BTC',
    txid: `t${id}`,
    index: '0',
    orderId: of.id,
    key: `k${id}`,
    currency: 'BTC',
    units: 5n,
    seenAt: NOW,
    status: 'WAITING',
    since: NOW,
    rate: null,
    ...given,
  };
}

eachStorage((_name, open) => {
  test('an unconfirmed payment comes back as it was stored, once for each (chain, txid, index), and is taken once', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const whole = unconfirmed(made, { units: 2n ** 256n - 1n, txid: 'same', index: '3' });
    const add = (each: UnconfirmedPayment, by = storage): Promise<boolean> =>
      by.transaction((tx) => tx.unconfirmedPayments.add(each));
    assert.equal((await Promise.all([add(whole), add(whole, second), add(whole)])).filter(Boolean).length, 1);
    assert.deepEqual(await storage.unconfirmedPayments.ofChain('BTC'), [whole]);
    assert.equal(await add({ ...whole, index: '4', seenAt: NOW - 1 }), true);
    assert.equal(await add({ ...whole, chain: 'LTC' }), true);
    assert.deepEqual(
      (await second.unconfirmedPayments.ofChain('BTC')).map(({ index }) => index),
      ['4', '3'],
    );
    const taken = await Promise.all(
      [storage, second].map((by) => by.transaction((tx) => tx.unconfirmedPayments.take(whole))),
    );
    assert.deepEqual(
      taken.filter((each) => each !== null),
      [whole],
    );
    assert.deepEqual(
      (await storage.unconfirmedPayments.ofChain('BTC')).map(({ index }) => index),
      ['4'],
    );
  });

  test('an unconfirmed payment of an unknown order is refused', async (t) => {
    const { storage } = await open(t);
    await assert.rejects(
      storage.transaction((tx) => tx.unconfirmedPayments.add(unconfirmed({ id: '404' as OrderId }))),
    );
  });

  test('a compare-and-set of an unconfirmed payment is made once, and the database refuses every other move', async (t) => {
    const { storage, sql } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    for (const from of UNCONFIRMED_PAYMENT_STATUSES) {
      for (const to of UNCONFIRMED_PAYMENT_STATUSES) {
        if (from === to) continue;
        const some = unconfirmed(made, { status: from });
        await storage.transaction((tx) => tx.unconfirmedPayments.add(some));
        if (legal.has(`${from} ${to}`)) {
          const moves = [1, 2].map(() =>
            storage.transaction((tx) => tx.unconfirmedPayments.move(some, from, to, NOW + 9)),
          );
          assert.deepEqual((await Promise.all(moves)).sort(), [false, true], `${from} ${to}`);
          const stored = (await storage.unconfirmedPayments.ofChain('BTC')).find(({ txid }) => txid === some.txid);
          assert.deepEqual(stored, { ...some, status: to, since: NOW + 9 });
        } else {
          await assert.rejects(
            sql('UPDATE unconfirmed_payments SET status = ? WHERE txid = ?', [to, some.txid]),
            /illegal change of status/,
            `${from} ${to}`,
          );
        }
      }
    }
  });

  test('live are those that have not disappeared, of the orders asked for, the first seen first', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [one, two, three] = [
      await storedOrder(storage, accountId),
      await storedOrder(storage, accountId),
      await storedOrder(storage, accountId),
    ];
    const later = unconfirmed(one, { seenAt: NOW + 2 });
    const missing = unconfirmed(one, { seenAt: NOW + 1, status: 'MISSING' });
    const gone = unconfirmed(one, { status: 'GONE' });
    const other = unconfirmed(two);
    await storage.transaction(async (tx) => {
      for (const each of [later, missing, gone, other, unconfirmed(three)]) await tx.unconfirmedPayments.add(each);
      assert.deepEqual(await tx.unconfirmedPayments.live(one.id), [missing, later]);
    });
    assert.deepEqual(await storage.unconfirmedPayments.live([one.id, two.id]), [other, missing, later]);
    assert.deepEqual(await storage.unconfirmedPayments.live([]), []);
  });

  test('what disappeared is forgotten after a time, and nothing else is', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const old = unconfirmed(made, { status: 'GONE', since: NOW - 1 });
    const kept = [
      unconfirmed(made, { status: 'GONE' }),
      unconfirmed(made, { since: NOW - 1 }),
      unconfirmed(made, { status: 'MISSING', since: NOW - 1 }),
    ];
    const elsewhere = { ...old, chain: 'LTC' };
    await storage.transaction(async (tx) => {
      for (const each of [old, ...kept, elsewhere]) await tx.unconfirmedPayments.add(each);
      await tx.unconfirmedPayments.forget('BTC', NOW);
    });
    assert.deepEqual(
      new Set((await storage.unconfirmedPayments.ofChain('BTC')).map(({ txid }) => txid)),
      new Set(kept.map(({ txid }) => txid)),
    );
    assert.equal((await storage.unconfirmedPayments.ofChain('LTC')).length, 1);
  });
});
