import assert from 'node:assert/strict';
import { test } from 'node:test';
import { custodyAccount, FEES_ACCOUNT, PAYOUT_STATUSES } from '../../../core/index.ts';
import type {
  AccountId,
  Payout,
  PayoutChanges,
  PayoutId,
  PayoutStatus,
  Transfer,
  TransferId,
} from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { deposit, entry, nextId, NOW, transactionRow } from './fixtures.ts';
import {
  attempt,
  payout,
  HOT,
  merchant,
  open,
  paidOrder,
  signed,
  stored,
  transfer,
  withdrawal,
} from './money-out-fixtures.ts';

const MAX = 2n ** 256n - 1n;

eachStorage((_name, opened) => {
  test('a payout comes back as it was opened, with and without a nonce', async (t) => {
    const { storage } = await opened(t);
    for (const given of [
      {},
      { nonce: 0 },
      { nonce: 2 ** 48, sourceAddress: '0xdeposit', sourceIndex: 12, sentAt: NOW, minedTxid: '0xm', minedHeight: 9 },
    ]) {
      const made = payout(given);
      assert.equal(await open(storage, made), true);
      assert.deepEqual(await storage.transaction((tx) => tx.transfers.lockPayout(made.id)), made);
    }
    assert.equal(await storage.transaction((tx) => tx.transfers.lockPayout('1' as PayoutId)), null);
  });

  test('a nonce is used once: the counter moves by one, and a payout for any other is not opened', async (t) => {
    const { storage } = await opened(t);
    const nonce = (address = HOT): Promise<number | null> => storage.transfers.nonce('ETH', address);
    assert.equal(await nonce(), null);
    assert.equal(await open(storage, payout({ nonce: 41 })), true);
    assert.equal(await nonce(), 42);
    for (const wrong of [40, 41, 43]) {
      const made = payout({ nonce: wrong });
      const goesOn = await storage.transaction(async (tx) => [
        await tx.transfers.openPayout(made),
        await tx.transfers.openPayout(payout()),
      ]);
      assert.deepEqual(goesOn, [false, true], `nonce ${wrong}`);
      assert.equal(await storage.transaction((tx) => tx.transfers.lockPayout(made.id)), null);
    }
    assert.equal(await open(storage, payout({ nonce: 42 })), true);
    assert.equal(await open(storage, payout({ nonce: 5, sourceAddress: '0xother' })), true);
    assert.equal(await open(storage, payout({ nonce: 5, chain: 'BSC' })), true);
    assert.deepEqual([await nonce(), await nonce('0xother'), await storage.transfers.nonce('BSC', HOT)], [43, 6, 6]);
  });

  test('an operator moves the counter forward, never back', async (t) => {
    const { storage } = await opened(t);
    for (const [set, expected] of [
      [7, 7],
      [3, 7],
      [9, 9],
    ] as const) {
      await storage.transaction((tx) => tx.transfers.setNonce('ETH', HOT, set));
      assert.equal(await storage.transfers.nonce('ETH', HOT), expected);
    }
  });

  test('fault 41: of several that open a payout for one nonce at once, on two instances, one wins', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    for (const nonce of [0, 1, 2]) {
      const tries = await Promise.all(
        Array.from({ length: 6 }, (_, n) => open(n % 2 === 0 ? storage : second, payout({ nonce }))),
      );
      assert.equal(tries.filter(Boolean).length, 1, `nonce ${nonce}`);
      assert.equal(await storage.transfers.nonce('ETH', HOT), nonce + 1);
    }
  });

  test('who lost its payout to a rollback leaves the nonce to the next', async (t) => {
    const { storage } = await opened(t);
    const work = storage.transaction(async (tx) => {
      assert.equal(await tx.transfers.openPayout(payout({ nonce: 8 })), true);
      throw new Error('the lease is lost');
    });
    await assert.rejects(work, /lease is lost/);
    assert.equal(await open(storage, payout({ nonce: 8 })), true);
  });

  test('the database holds one payout for each nonce that is not VOID, whatever the counter says', async (t) => {
    const { storage, sql } = await opened(t);
    const first = payout({ nonce: 1 });
    await open(storage, first);
    const rewind = (): Promise<unknown> => sql('UPDATE payer_nonces SET next_nonce = 1');
    await rewind();
    await assert.rejects(open(storage, payout({ nonce: 1 })));
    assert.equal(await storage.transfers.nonce('ETH', HOT), 1);
    await storage.transaction((tx) => tx.transfers.closePayout(first.id, 'VOID', {}));
    assert.equal(await open(storage, payout({ nonce: 1 })), true);
  });

  test('a payout is closed once, with what is known of its transaction; every other change of status is refused', async (t) => {
    const { storage, sql } = await opened(t);
    const close = (id: PayoutId, to: Exclude<PayoutStatus, 'LIVE'>, changes: PayoutChanges = {}): Promise<boolean> =>
      storage.transaction((tx) => tx.transfers.closePayout(id, to, changes));
    const made = payout();
    await open(storage, made);
    assert.equal(await close(made.id, 'DONE', { minedTxid: '0xm', minedHeight: 77 }), true);
    assert.deepEqual([await close(made.id, 'VOID'), await close(made.id, 'DONE')], [false, false]);
    const expected = { ...made, status: 'DONE', minedTxid: '0xm', minedHeight: 77 };
    assert.deepEqual(await storage.transaction((tx) => tx.transfers.lockPayout(made.id)), expected);
    for (const from of PAYOUT_STATUSES) {
      for (const to of PAYOUT_STATUSES) {
        const some = payout({ status: from });
        await open(storage, some);
        const moved = sql('UPDATE payouts SET status = ? WHERE id = ?', [to, some.id]);
        if (from === to || from === 'LIVE') await moved;
        else await assert.rejects(moved, /illegal change of status/, `${from} → ${to}`);
      }
    }
  });

  test('changes of a payout touch what they name, and what was mined can be taken away again', async (t) => {
    const { storage } = await opened(t);
    const made = payout();
    await open(storage, made);
    const seen: unknown[] = [];
    for (const changes of [
      { sentAt: NOW },
      { minedTxid: '0xm', minedHeight: 5 },
      { minedTxid: null, minedHeight: null },
      {},
    ]) {
      await storage.transaction((tx) => tx.transfers.updatePayout(made.id, changes));
      seen.push(await storage.transaction((tx) => tx.transfers.lockPayout(made.id)));
    }
    const sent = { ...made, sentAt: NOW };
    assert.deepEqual(seen, [sent, { ...sent, minedTxid: '0xm', minedHeight: 5 }, sent, sent]);
    await assert.rejects(
      storage.transaction((tx) => tx.transfers.updatePayout('1' as PayoutId, {})),
      /does not exist/,
    );
  });

  test('signed bytes are kept for good: attempts are neither changed nor deleted, and a txid comes once on a chain', async (t) => {
    const { storage, sql } = await opened(t);
    const [made, other, elsewhere] = [payout(), payout(), payout({ chain: 'BSC' })];
    for (const each of [made, other, elsewhere]) await open(storage, each);
    const first = attempt(made.id, {
      feeUnits: MAX,
      expiresAt: NOW + 1,
      raw: 'ab'.repeat(20_000),
      terms: '{"price":"1"}',
    });
    const write = (given: typeof first): Promise<void> => storage.transaction((tx) => tx.transfers.addAttempt(given));
    await write(first);
    await write(attempt(elsewhere.id, { txid: first.txid }));
    await assert.rejects(write(attempt(other.id, { txid: first.txid })));
    await assert.rejects(write(attempt(made.id)));
    await assert.rejects(write(attempt('1' as PayoutId)));
    for (const change of ["UPDATE payout_attempts SET raw = ''", 'DELETE FROM payout_attempts'])
      await assert.rejects(sql(change), /append-only/);
    await storage.transaction((tx) => tx.transfers.closePayout(other.id, 'VOID', {}));
    // Nothing is signed for a closed payout.
    await assert.rejects(write(attempt(other.id)));
    const paying = await stored(storage, transfer());
    await storage.transaction((tx) =>
      tx.transfers.update(paying.id, 'REQUESTED', { payoutId: made.id, updatedAt: NOW }),
    );
    assert.deepEqual((await storage.transfers.payoutOf(paying.id))?.attempts, [first]);
  });

  test('a payout is seen with all that it pays and every attempt, oldest first', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    const paid = [await stored(storage, withdrawal(accountId)), await stored(storage, withdrawal(accountId))];
    const made = await signed(storage, paid, { nonce: 0 });
    const attempts = [
      attempt(made.id),
      attempt(made.id, { number: 2, feeUnits: 30n }),
      attempt(made.id, { number: 11 }),
    ];
    for (const each of [attempts[2]!, attempts[0]!, attempts[1]!])
      await storage.transaction((tx) => tx.transfers.addAttempt(each));
    const transfers = paid.map((each) => ({ ...each, status: 'SIGNED' as const, payoutId: made.id }));
    for (const { id } of paid)
      assert.deepEqual(await storage.transfers.payoutOf(id), { payout: made, attempts, transfers });
    const unsigned = await stored(storage, transfer());
    for (const id of [unsigned.id, '1' as TransferId, 'x\0' as TransferId])
      assert.equal(await storage.transfers.payoutOf(id), null);
  });

  test('the payments of a transaction: those of a payout with such an attempt, and those booked with it', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    const paid = [await stored(storage, withdrawal(accountId)), await stored(storage, withdrawal(accountId))];
    const bump = attempt((await signed(storage, paid, { nonce: 0 })).id, { number: 2 });
    await storage.transaction((tx) => tx.transfers.addAttempt(bump));
    const order = await paidOrder(storage);
    const settled = transactionRow(deposit(order), { type: 'WITHDRAW', txHash: '0xsettled', toAddress: '0xmerchant' });
    const received = transactionRow(deposit(order), { id: nextId(), txHash: '0xreceived' });
    for (const row of [settled, received]) await storage.transaction((tx) => tx.deposits.addTransaction(row));
    const booked = await storage.transfers.booked('ETH', [bump.txid, '0xsettled', '0xreceived', '0xunknown']);
    assert.deepEqual(
      new Set(booked.map(({ txid, transferId, toAddress }) => [txid, transferId, toAddress].join(' '))),
      new Set([
        ...paid.map(({ id, toAddress }) => `${bump.txid} ${id} ${toAddress}`),
        `0xsettled ${settled.id} 0xmerchant`,
      ]),
    );
    assert.deepEqual(await storage.transfers.booked('BSC', [bump.txid, '0xsettled']), []);
    assert.deepEqual(await storage.transfers.booked('ETH', []), []);
  });

  test('LIVE payouts are paged by id, oldest first, of one chain', async (t) => {
    const { storage } = await opened(t);
    const ids: PayoutId[] = [];
    for (let n = 0; n < 6; n++) ids.push((await signed(storage, [await stored(storage, transfer())], { nonce: n })).id);
    await open(storage, payout({ chain: 'BSC' }));
    const close = (n: number, to: 'DONE' | 'VOID', changes: PayoutChanges): Promise<boolean> =>
      storage.transaction((tx) => tx.transfers.closePayout(ids[n]!, to, changes));
    const live = async (after: PayoutId | null, limit: number): Promise<readonly string[]> =>
      (await storage.transfers.livePayouts('ETH', after, limit)).map((view) => view.payout.id);
    assert.deepEqual(await live(null, 2), ids.slice(0, 2));
    assert.deepEqual(await live(ids[1]!, 10), ids.slice(2));
    await close(0, 'DONE', { minedTxid: '0x0', minedHeight: 103 });
    await close(1, 'DONE', { minedTxid: '0x1', minedHeight: 100 });
    await close(2, 'VOID', {});
    await close(3, 'DONE', { minedTxid: '0x3', minedHeight: 101 });
    assert.deepEqual(await live(null, 10), ids.slice(4));
  });

  test('DONE payouts lose their block to a reorganisation, and have one again when they are mined again', async (t) => {
    const { storage } = await opened(t);
    const ids: PayoutId[] = [];
    for (let n = 0; n < 5; n++) ids.push((await signed(storage, [await stored(storage, transfer())], { nonce: n })).id);
    const heights = [103, 100, 101, 102];
    for (const [n, minedHeight] of heights.entries()) {
      await storage.transaction((tx) =>
        tx.transfers.closePayout(ids[n]!, n === 3 ? 'VOID' : 'DONE', { minedTxid: `0x${n}`, minedHeight }),
      );
    }
    const other = payout({ chain: 'BSC' });
    await open(storage, other);
    await storage.transaction((tx) =>
      tx.transfers.closePayout(other.id, 'DONE', { minedTxid: '0x9', minedHeight: 103 }),
    );
    const unmined = async (after: PayoutId | null = null, limit = 10): Promise<readonly string[]> =>
      (await storage.transfers.unminedPayouts('ETH', after, limit)).map((view) => view.payout.id);
    assert.deepEqual(await unmined(), []);
    await storage.transaction((tx) => tx.transfers.unminePayouts('ETH', 100));
    assert.deepEqual(await unmined(), [ids[0], ids[2]]);
    assert.deepEqual([await unmined(null, 1), await unmined(ids[0])], [[ids[0]], [ids[2]]]);
    const [view] = await storage.transfers.unminedPayouts('ETH', null, 1);
    assert.deepEqual([view?.payout.minedTxid, view?.transfers.length], ['0x0', 1]);
    await storage.transaction((tx) => tx.transfers.updatePayout(ids[0]!, { minedHeight: 104 }));
    assert.deepEqual(await unmined(), [ids[2]]);
  });

  test('fault 40: a transfer leaves its payout only when nothing of it can be mined any more', async (t) => {
    const { storage, sql } = await opened(t);
    const made = await stored(storage, transfer());
    const first = await signed(storage, [made], { nonce: 0 });
    const second = payout({ nonce: 1 });
    await open(storage, second);
    const rebind = (to: PayoutId): Promise<boolean> =>
      storage.transaction((tx) => tx.transfers.update(made.id, 'SIGNED', { payoutId: to, updatedAt: NOW }));
    await assert.rejects(rebind(second.id), /leaves a payout that is not VOID/);
    await assert.rejects(sql('UPDATE transfers SET payout_id = NULL WHERE id = ?', [made.id]), /leaves a payout/);
    assert.equal(await rebind(first.id), true);
    await storage.transaction((tx) => tx.transfers.closePayout(first.id, 'VOID', {}));
    assert.equal(await rebind(second.id), true);
    assert.equal((await storage.transfers.payoutOf(made.id))?.payout.id, second.id);
  });

  test('what is in flight: units by source and currency, and the dearest attempt of each payout once', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    assert.deepEqual(await storage.transfers.inFlight('ETH'), []);
    const many = [
      await stored(storage, withdrawal(accountId, { units: MAX })),
      await stored(storage, withdrawal(accountId, { units: 2n ** 53n + 1n })),
    ];
    const shared = await signed(storage, many, { nonce: 0 });
    const token = await stored(storage, withdrawal(accountId, { currency: 'USDT-ERC20', units: 9n }));
    const tokens = await signed(storage, [token], { nonce: 1 }, 'BROADCAST');
    const sweep = await stored(storage, transfer({ sourceAddress: '0xd', units: 4n }));
    await signed(storage, [sweep], { nonce: 0, sourceAddress: '0xd', sourceIndex: 7 });
    await stored(storage, withdrawal(accountId, { units: 100n }));
    const finished = await stored(storage, withdrawal(accountId, { units: 100n }));
    const over = await signed(storage, [finished], { nonce: 2 }, 'CONFIRMED');
    await storage.transaction(async (tx) => {
      await tx.transfers.addAttempt(attempt(shared.id, { feeUnits: MAX }));
      await tx.transfers.addAttempt(attempt(shared.id, { number: 2, feeUnits: 2n }));
      await tx.transfers.addAttempt(attempt(tokens.id, { feeUnits: 10n }));
      await tx.transfers.addAttempt(attempt(over.id, { feeUnits: 1000n }));
    });
    assert.deepEqual(await storage.transfers.inFlight('ETH'), [
      { sourceAddress: HOT, currency: 'ETH', units: MAX + 2n ** 53n + 1n, nativeFeeUnits: MAX },
      { sourceAddress: HOT, currency: 'USDT-ERC20', units: 9n, nativeFeeUnits: 10n },
      { sourceAddress: '0xd', currency: 'ETH', units: 4n, nativeFeeUnits: 0n },
    ]);
    assert.deepEqual(await storage.transfers.inFlight('BSC'), []);
  });

  test('fault 101: what the till has is read at one moment: a payout that is booked meanwhile counts once', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    const fee = 21n;
    const sweeps: (readonly [Transfer, Payout])[] = [];
    for (let n = 0; n < 12; n++) {
      const sweep = await stored(storage, transfer());
      const made = await signed(storage, [sweep], { nonce: 0, sourceAddress: sweep.sourceAddress, sourceIndex: 7 });
      await storage.transaction((tx) => tx.transfers.addAttempt(attempt(made.id, { feeUnits: fee })));
      sweeps.push([sweep, made]);
    }
    const finish = ([{ id }, made]: readonly [Transfer, Payout]): Promise<unknown> =>
      second.transaction(async (tx) => {
        await tx.transfers.move(id, 'SIGNED', 'CONFIRMED', { updatedAt: NOW, finishedAt: NOW });
        await tx.transfers.closePayout(made.id, 'DONE', { minedTxid: `0x${id}`, minedHeight: 1 });
        const postings = [
          { account: FEES_ACCOUNT, currency: 'ETH', units: -fee },
          { account: custodyAccount('ETH'), currency: 'ETH', units: fee },
        ];
        await tx.ledger.append(entry(id as string as AccountId, `sweep:${id}`, 0n, { postings }));
      });
    const costs = async (): Promise<readonly [bigint, number, number]> => {
      const { balances, inFlight, live } = await storage.transfers.position('ETH', [FEES_ACCOUNT]);
      assert.ok(balances.every(({ account }) => account === FEES_ACCOUNT));
      const booked = balances.reduce((sum, { units }) => sum - units, 0n);
      return [inFlight.reduce((sum, { nativeFeeUnits }) => sum + nativeFeeUnits, booked), inFlight.length, live.length];
    };
    let open = sweeps.length;
    const finishing = (async () => {
      for (const each of sweeps) await finish(each);
      open = 0;
    })();
    for (let seen = 0; open > 0; seen++) {
      const [total, flying, alive] = await costs();
      assert.deepEqual([total, flying], [12n * fee, alive], `look ${seen}`);
    }
    await finishing;
    assert.deepEqual(await costs(), [12n * fee, 0, 0]);
  });

  test('a payout is signed for good or not at all, and the loser of its nonce leaves no trace', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    const made = await stored(storage, transfer());
    const sign = (n: number): Promise<boolean> =>
      (n % 2 === 0 ? storage : second).transaction(async (tx) => {
        const own = payout({ nonce: 0 });
        if (!(await tx.transfers.openPayout(own))) return false;
        await tx.transfers.addAttempt(attempt(own.id));
        return tx.transfers.move(made.id, 'REQUESTED', 'SIGNED', { payoutId: own.id, updatedAt: NOW });
      });
    assert.equal((await Promise.all([0, 1, 2, 3].map(sign))).filter(Boolean).length, 1);
    const live = await storage.transfers.livePayouts('ETH', null, 10);
    assert.deepEqual(
      live.map(({ attempts, transfers }) => [attempts.length, transfers.map(({ id }) => id)]),
      [[1, [made.id]]],
    );
  });
});
